"""Reads the traces of the PyTorch profiler (Kineto) into a model."""
