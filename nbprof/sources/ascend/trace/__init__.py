"""Reads `trace_view.json` of the Ascend profiler.

CANN calls and device slices have no category; only their process distinguishes the two. Names of
processes follow their events in the file, or are missing if it is truncated. So these slices are
collected together and separated at the end, by process or else by their arguments.

A kernel has the start in the trace and the duration in `kernel_details.csv`, which other tools sum,
too. The two are joined by name and start, where starts of HCCL's operators may differ by a
nanosecond. The rest is joined by name and order if that is unambiguous. Kernels that are in only
one of the files are kept and counted.

Lanes other than streams have stream numbers below -1: communication, its planes, and the bars of
the overlap analysis. Planes and the bookkeeping of the hardware become tasks, since their kernel is
already counted.

Launches are linked by `connection_id`, which calls and tasks carry; flow events inside a call agree
with it. Operators are linked by flow events of their own, since another thread makes the calls.

Recent versions write host times and the ends of flow events as floats, and so round them. Such an
end is moved to the start of the nearest slice within a quarter of a microsecond.
"""
