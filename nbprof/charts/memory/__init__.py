"""The memory chart: memory over time, with steps, peaks and categories."""
