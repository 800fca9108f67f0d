"""Tests of stacked blocks and rows of segments, against slow versions."""
