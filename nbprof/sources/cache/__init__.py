"""The cache of parsed traces on disk."""
