"""Reads `trace_view.json` of the Ascend profiler."""
