"""Memory over time, its peaks, and who allocates and holds it.

The allocator's total wins. No recording sees every allocation, so that adding up drifts. Blocks
of allocators that say 0 for all they hold come on top. Without totals, changes are added up from
the least start that keeps the sum from falling below 0.

What nobody explains is a row. The peak less the blocks known to be in use is held from before the
recording; it has no number of blocks.

A pixel shows first, last, lowest and highest. `charts/memory/curves.py` reduces the curve with
the function that the timeline uses for its own; the page lays the brush, the marks of blocks and
the value under the pointer over the figure, so that none of them draws it anew.
`widgets/views/memory.py` narrows the tables to a device, a brushed range and sizes.

Recorders differ in what they tell, and tables have columns for that only where they do. Ascend
names the operator of a block, but no thread and not who releases it: the call is found by name
and time, what operators keep stays null, and totals are the curve of both allocators (`PTA+GE`,
else the sum of the two), since each block only tells of its own. Paddle says what its allocator
holds in the same records: `memory_extra.is_reserved` keeps these out of totals, blocks and
holders of what is in use. Its records belong to the innermost event that is no phase, operator or
not.

Files of memory alone (`memory_snapshot.py`, `memory_timeline.py` in `sources/`) fill the memory
tables of a model, the others stay empty. Snapshots are pickles: the unpickler of
`plain_pickle.py` makes containers, strings and numbers and refuses whatever names a class or
function, before it is looked up. In a run such files come after the traces, so that a trace is
what is shown first.
"""
