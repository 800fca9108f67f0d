"""Tests of the differences between two runs."""
