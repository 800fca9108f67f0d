"""Workers, spans and ranks of the files that were found."""
