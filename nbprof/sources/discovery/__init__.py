"""Finding trace files, and what their names and heads tell."""
