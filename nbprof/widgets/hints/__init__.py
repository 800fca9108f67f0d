"""Texts beside numbers: why a table is empty, what was not recorded, what failed."""
