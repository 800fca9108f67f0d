"""Reads the protobuf files of `paddle.profiler`."""
