"""Writes a trace, or a part of it, as a Chrome JSON file."""
