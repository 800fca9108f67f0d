"""Reads what a profiler object in memory recorded, as if it had written its files.

A `Recorder` names the classes of its objects in `Recorder.live`, as text, so that nbprof imports no
profiler to recognise one. For each class it names a function that returns what such an object
recorded: the paths of files that the profiler wrote and keeps, or a `MemoryFile`. A `MemoryFile` is
read as a file on disk is, so live objects and files share probing, reading, parts and filters.
"""
