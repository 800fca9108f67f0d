"""Reads the CSV files of the Ascend profiler."""
