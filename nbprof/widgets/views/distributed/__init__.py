"""The distributed view: the workers of a run side by side."""
