"""Reads what `paddle.profiler` writes: Chrome JSON and protobuf, of Paddle 2.x and 3.x."""
