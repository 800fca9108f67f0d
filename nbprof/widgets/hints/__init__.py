"""Explanations for the user: why a table is empty, what was not recorded, what failed."""
