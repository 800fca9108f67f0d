"""The two sides: their traces, which steps of them count, and which belong together."""
