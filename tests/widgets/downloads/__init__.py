"""Files and code that leave a view."""
