"""The memory view: memory curves, the selected device and range, and the tables below."""
