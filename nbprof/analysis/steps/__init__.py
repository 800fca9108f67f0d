"""The time of steps, by category and by stage."""
