"""Recommendations and warnings, each with its evidence."""
