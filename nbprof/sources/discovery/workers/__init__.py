"""Tells from names and heads which worker wrote each file, and which rank of the job it was."""
