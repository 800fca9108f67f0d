"""Tests of the view of memory snapshots: requests, saved state, the page."""
