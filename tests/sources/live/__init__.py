"""Tests of profiler objects in memory as sources."""
