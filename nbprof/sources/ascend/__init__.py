"""Reads what the Ascend profiler writes: a directory of CSV and JSON files for worker and span."""
