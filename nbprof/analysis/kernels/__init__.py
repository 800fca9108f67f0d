"""Kernels: their tables, matrix units, and which of them communicate."""
