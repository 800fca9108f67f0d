"""What devices reach at best, by vendor, and how devices are recognised by their names."""
