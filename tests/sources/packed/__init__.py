"""Compressed files and archives."""
