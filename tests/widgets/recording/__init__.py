"""Tests of recording from the notebook."""
