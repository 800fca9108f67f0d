"""One large file read by several processes.

A cut is proven, not trusted. Helpers start at multiples of the window, at the last gap between
events before it. A reader may end there only if it stands on that very byte with nothing left
over, so the next one is in the state that this one would be in, and windows, numbers of texts,
repairs and examples come out as if one had read it all. If not (a broken event lies across the
cut), it reads on to the next cut. Where a helper fails for whatever reason, the process that
started it reads on from its own cut: the error, if there is one, is raised where it always was.

Helpers never outlive the read. They are started by `subprocess` with the module search path of
this process: no `fork` beside a kernel's threads, no second run of the user's main module, and
the current folder is searched last, so that a `queue.py` beside a notebook is not taken for
Python's. They ignore Ctrl-C, are killed in whatever way the read is left, and end by themselves
when their standard input closes, as it does when the reader is killed.

Results go through a file without a name in memory and are mapped, not copied; pipes carry only
progress.

Only what pays. A part has 48 MB of JSON at least, this process's own 36 MB more, as a helper
takes so long to start. All reads of a process share its processors (affinity and container limit,
or `NBPROF_PROCESSES`).
"""
