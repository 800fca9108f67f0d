"""Limits on untrusted files: ranges of numbers and times, and the size of decompressed content."""
