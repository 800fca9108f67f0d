"""Analyses: pure functions of a model and a filter that compute the result tables.

Annotations and modules are credited with the device work launched during them on their thread,
however rows nest (`analysis/launched_work.py`).

The names, kinds, threads, devices and streams of a filter select rows; its steps and time range
only cut time. So the interval sets behind `steps`, `overview`, `device_time` and `device_summary`
(`steps/breakdown.py`, `devices/device_intervals.py`, `devices/occupancy.py`) are built from the
selected rows alone, with running sums of their lengths, and cached for the last few filters.
Changing only the range costs a few binary searches. The time of a category is what it adds to the
union of the categories before it. The step and launch time of each row are looked up once.
"""
