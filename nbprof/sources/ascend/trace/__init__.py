"""Reads `trace_view.json` of the Ascend profiler.

A slice without a category waits for its process. CANN's and the device's slices have none, and
the file names processes after their events, or, cut off, never. So they are collected alike, and
told apart at the end by process, else by their arguments.

A kernel is a row of `kernel_details.csv`, with the trace's start and the CSV file's duration,
which is what all other tools add up. Equal name and start join them; HCCL's operators start a
nanosecond apart; what is left goes by name and order, where that leaves no choice. Kernels in one
file only stay, and are counted.

Lanes that are no streams have streams below -1: communication, its planes, the bars of the
overlap analysis. Planes and the hardware's bookkeeping are tasks, since their kernel counts
already.

Launches go by `connection_id`, which calls and tasks carry; arrows from inside of a call say the
same. Operators are found by their own arrows, since another thread makes the calls.

Versions round. The newest writes host times, and ends of arrows, as floats; such an end is put to
the start of the slice that it is within a quarter of a microsecond of.
"""
