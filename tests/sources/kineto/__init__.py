"""Tests of PyTorch's own profiler as a source."""
