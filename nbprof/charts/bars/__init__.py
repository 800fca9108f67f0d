"""Bars in parts, standing and lying."""
