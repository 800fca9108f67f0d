"""Donuts: shares of a whole, with labels beside them."""
