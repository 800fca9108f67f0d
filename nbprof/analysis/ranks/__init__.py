"""Steps and communication calls of a single rank, from which tables over workers are computed."""
