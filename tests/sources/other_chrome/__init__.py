"""Tests of Chrome traces that other programs than PyTorch wrote."""
