"""Reads the Chrome JSON of `paddle.profiler`."""
