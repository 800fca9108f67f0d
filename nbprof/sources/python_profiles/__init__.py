"""Reads the profiles of Python's own profilers, `cProfile` and `profile`, which `pstats` prints."""
