"""Memory over time, its peaks, and who allocates and holds it."""
