"""The step chart: the time of every step as a stacked bar."""
