"""Operators: their calls, times, phases and parts, and the user's annotations."""
