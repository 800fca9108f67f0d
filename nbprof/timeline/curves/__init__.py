"""Curves and strips over time: utilization, memory, queues, counters, and the minimap."""
