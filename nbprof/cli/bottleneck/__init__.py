"""``nbprof bottleneck script.py``: where the time of a program goes.

The program runs twice, each time in a Python of its own: under `cProfile`, and under PyTorch's
profiler if PyTorch is installed. It runs as ``python script.py`` would, and its output and exit
status are its own. What was recorded until it ended is summed up however it ended.
"""
