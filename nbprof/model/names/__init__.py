"""What the names of slices say: short forms, demangling, roles, communication."""
