"""Reads the objects of PyTorch's profilers.

Kineto saves a recording to a file once and then refuses: "Trace is already saved". After nbprof has
read a recording it therefore leaves a `KeptResults` in the profiler, which writes the same file as
often as the user asks. If the user has saved the recording before, it is read from the file that
the handler wrote, else from PyTorch's exporter in Python, else from the list of its events.
"""
