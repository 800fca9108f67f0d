"""The HTML summary of a trace, piece by piece."""
