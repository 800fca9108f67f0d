"""Launches of kernels: where each comes from, and the table with all that is known of each."""
