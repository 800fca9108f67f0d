"""Tests of what a caching allocator held, against a simulated allocator and a plain replay."""
