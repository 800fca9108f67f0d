"""Spoils recordings: values, the structure of each format, bytes, packing and names of files."""
