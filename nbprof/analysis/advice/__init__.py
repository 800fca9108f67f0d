"""Recommendations and warnings, each with its evidence.

Filters and recommendations. Recommendations follow steps, times and devices of a filter, not
names or `within`: a device is not idle because most of its kernels are filtered out.
"""
