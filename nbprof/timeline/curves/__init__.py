"""Curves and strips over time: utilization, memory, queues, counters, the minimap."""
