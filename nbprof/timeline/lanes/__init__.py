"""Lanes of the timeline: threads, streams and modules, and the row of every slice."""
