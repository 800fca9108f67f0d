"""Arrow schemas of what a caching allocator records: its events, its segments and their blocks.

Programs request sizes; the allocator rounds them up and may give more.

Only allocator snapshots fill these tables. The rules of `nbprof.model.trace.schema` hold: missing
integers are -1, text that may be missing is null.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

TEXT: Final = pa.dictionary(pa.int32(), pa.utf8())
KIND: Final = pa.dictionary(pa.int8(), pa.utf8())

#: The actions of events. The values of `allocator_events.action` are exactly this tuple.
ACTIONS: Final = (
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "oom",
    "snapshot",
)
(
    ALLOC,
    FREE_REQUESTED,
    FREE_COMPLETED,
    SEGMENT_ALLOC,
    SEGMENT_FREE,
    SEGMENT_MAP,
    SEGMENT_UNMAP,
    OOM,
    SNAPSHOT,
) = range(len(ACTIONS))

#: The states of blocks. The values of `allocator_blocks.state` are exactly this tuple.
STATES: Final = ("allocated", "awaiting_free")
ALLOCATED, AWAITING_FREE = range(len(STATES))

#: What the allocator did, device by device, in the order of the recording.
EVENTS: Final = pa.schema(
    [
        ("device", pa.int32()),
        ("time_ns", pa.int64()),  # never falls within a device
        ("action", KIND),
        ("address", pa.int64()),
        ("bytes", pa.int64()),  # requested by an allocation, even if it failed; size of a segment
        ("allocated", pa.int64()),  # taken by an allocation, returned by a release; else -1
        ("free", pa.int64()),  # of failed allocations: memory that the device had free
        ("stream", pa.int64()),
        ("pool", TEXT),  # "0:0" is the default pool
        ("call_stack", TEXT),  # frames joined by ";", the innermost first
        ("category", TEXT),
        ("note", TEXT),  # what the user or the compiler attached
    ]
)

#: The segments at the time of the snapshot, by device and address.
SEGMENTS: Final = pa.schema(
    [
        ("device", pa.int32()),
        ("address", pa.int64()),
        ("bytes", pa.int64()),
        ("stream", pa.int64()),
        ("pool", TEXT),
        ("size_class", TEXT),  # large or small
        ("expandable", pa.int8()),  # 0 or 1
        ("call_stack", TEXT),
    ]
)

#: The blocks in use at the time of the snapshot, by device and address.
BLOCKS: Final = pa.schema(
    [
        ("device", pa.int32()),
        ("address", pa.int64()),
        ("bytes", pa.int64()),  # taken from the segment
        ("requested", pa.int64()),
        ("stream", pa.int64()),
        ("state", KIND),
        ("call_stack", TEXT),
        ("category", TEXT),
        ("note", TEXT),
    ]
)

#: The requested sizes behind every row of the table of memory records, or no rows at all.
MEMORY_REQUESTED: Final = pa.schema(
    [
        ("bytes", pa.int64()),  # negative for releases
        ("total", pa.int64()),  # of the blocks in use after the record
    ]
)

TABLES: Final = {
    "memory_requested": MEMORY_REQUESTED,
    "allocator_events": EVENTS,
    "allocator_segments": SEGMENTS,
    "allocator_blocks": BLOCKS,
}
