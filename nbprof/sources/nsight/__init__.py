"""Reads exports of Nsight Systems: ``nsys export --type sqlite report.nsys-rep``.

`nsys` creates a table only when it has rows, and its columns differ between versions, so every
table and column may be missing. The file says what its numbers mean in tables ``ENUM_…``; the
numbers themselves have not changed since 2020, so `nbprof.sources.cuda.names` is the fallback.

Ids of processes and threads are parts of one number (`ids.py`). A report may hold several processes
with CUDA work, such as the ranks of a job: each of them is a worker, and the processes that have no
CUDA work, but NVTX ranges, are workers, too. With one such process, everything is in one trace.

``META_DATA_CAPTURE`` holds the command line and the environment of the profiled process. It is
never read; neither is the output of the process in ``ProcessStreams``.
"""
