"""PyProf's formulas for the figures of a kernel, by families of functions."""
