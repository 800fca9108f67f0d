"""Tables about memory: its use over time, its peaks, and the operators that allocate and hold it.

The allocator's own totals are used if recorded: no recording contains every allocation, so a
running sum of changes drifts. Blocks of allocators that always report 0 are added to them. Without
totals, changes are summed from the smallest start value that keeps the sum from falling below 0.

Unexplained memory has a row of its own. The peak minus the blocks known to be in use was allocated
before the recording; its number of blocks is unknown.

Each pixel of the curve shows the first, last, lowest and highest value. `charts/memory/curves.py`
reduces the curve with the function that the timeline uses for its curves. The page draws the brush,
the marks of blocks and the value under the pointer over the figure, so none of them redraws it.
`widgets/views/memory/memory_selection.py` narrows the tables to a device, a brushed range and
sizes.

Recorders differ in what they record, and tables only have columns for what is there. Ascend names
the operator of a block, but neither the thread nor who releases it: the call is found by name and
time, memory kept by operators is null, and totals follow the curve of both allocators (`PTA+GE`,
else the sum of the two), because each block only reports its own allocator. Paddle writes reserved
memory into the same records: `memory_extra.is_reserved` excludes these from totals, blocks and
holders of memory in use. Its records belong to the innermost event that is not a phase, whether or
not it is an operator.

Memory-only files (`sources/memory_snapshots/`) fill the memory tables of a model and leave the
others empty. Snapshots are pickles: the unpickler in `plain_pickle.py` builds only containers,
strings and numbers and rejects any class or function name before looking it up. In a run, such
files come after the traces, so a trace is shown first.
"""
