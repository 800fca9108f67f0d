"""The columns of every result table, with types, units and meanings."""
