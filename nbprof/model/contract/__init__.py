"""Declares result tables: columns with types, units and meanings, and table specifications."""
