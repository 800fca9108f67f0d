"""Finds trace files and identifies them by their names and heads."""
