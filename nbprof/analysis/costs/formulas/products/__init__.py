"""Formulas of matrix products and what consists of them, which matrix units compute."""
