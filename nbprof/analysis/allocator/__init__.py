"""What a caching allocator held at any moment: blocks over their lives, segments and their gaps.

A *moment* is a place in the history of a device: moment 0 is before its first event, and moment i
is after i events. Blocks and segments exist over ranges of moments, so that events at the same
microsecond keep their order.

The snapshot describes the allocator at its end. Earlier moments follow from it by undoing events,
as memory_viz does, so that they are right even if the history does not reach back to the start. At
one address there is at most one block at a time: a release without an allocation is that of a block
from before the recording, or, after another release, of one whose allocation is missing; an
allocation at an address in use means that a release is missing.

Blocks count with what the allocator took for them, as `torch.cuda.memory_allocated` counts, which
`sources/memory_snapshots/allocated_sizes.py` finds. What the program asked for stands beside it.
"""
