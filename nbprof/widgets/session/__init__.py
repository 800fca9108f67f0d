"""The profile behind a view: opened once, with the tables that its requests have computed."""
