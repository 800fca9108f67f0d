"""The memory view: the curve, its lens, and the tables under it."""
