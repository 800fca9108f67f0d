"""Recommendations and warnings, each with the numbers that support it.

Recommendations use only the steps, time range and devices of a filter. Names and `within` are
ignored, because a device is not idle just because most of its kernels are filtered out.
"""
