"""Why nothing is drawn, and what to do about it."""
