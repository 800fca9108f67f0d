"""``nbprof diff``: its options, and the comparison that it runs."""
