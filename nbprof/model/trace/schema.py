"""Arrow schemas of the tables of a trace.

Row numbers are the keys between tables. Missing integers are -1 and missing floats NaN rather
than null, so that every column is a plain NumPy view; text that may be missing is null.
Times are int64 nanoseconds from the trace's first event.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.trace import schema_allocator, schema_vendors

TEXT: Final = pa.dictionary(pa.int32(), pa.utf8())
KIND: Final = pa.dictionary(pa.int8(), pa.utf8())

#: Every slice on a CPU thread, sorted by (thread, start, -end), file order between equals.
HOST: Final = pa.schema(
    [
        ("name", TEXT),
        ("kind", KIND),
        ("thread", pa.int32()),  # row in THREADS
        ("start_ns", pa.int64()),
        ("duration_ns", pa.int64()),
        ("external_id", pa.int64()),
        ("correlation", pa.int64()),  # of runtime and driver calls
        ("sequence", pa.int64()),  # autograd sequence number
        ("forward_thread", pa.int64()),  # profiler-internal number, not a tid
        ("python_id", pa.int64()),
        ("python_parent", pa.int64()),
        ("module_id", pa.int64()),  # `Python module id`; kind is "module" if present
        ("input_shapes", TEXT),  # JSON text
        ("input_types", TEXT),  # JSON text
        ("input_values", TEXT),  # JSON text: the inputs that are not tensors
        ("call_stack", TEXT),  # frames joined by ";"
    ]
)

#: Everything that ran on a device, sorted by (start, device, stream).
DEVICE: Final = pa.schema(
    [
        ("name", TEXT),
        ("kind", KIND),
        ("device", pa.int32()),
        ("stream", pa.int64()),
        ("start_ns", pa.int64()),
        ("duration_ns", pa.int64()),
        ("correlation", pa.int64()),
        ("external_id", pa.int64()),
        ("grid", TEXT),  # JSON text
        ("block", TEXT),  # JSON text
        ("registers", pa.int64()),
        ("shared_memory_bytes", pa.int64()),
        ("blocks_per_sm", pa.float64()),
        ("warps_per_sm", pa.float64()),
        ("occupancy_pct", pa.float64()),
        ("bytes", pa.int64()),
        ("bandwidth_gbps", pa.float64()),
        ("graph_node", pa.int64()),
    ]
)

#: `[memory]` records, sorted by time. `thread` is a row in THREADS.
MEMORY: Final = pa.schema(
    [
        ("time_ns", pa.int64()),
        ("thread", pa.int32()),
        ("bytes", pa.int64()),
        ("address", pa.int64()),
        ("device_type", pa.int32()),  # c10::DeviceType
        ("device", pa.int32()),  # -1 is the CPU
        ("total_allocated", pa.int64()),
        ("total_reserved", pa.int64()),
    ]
)

#: Python frames of memory records, where they were recorded with the records themselves.
MEMORY_STACKS: Final = pa.schema(
    [
        ("record", pa.int64()),  # row in MEMORY; each at most once, ascending
        ("call_stack", TEXT),  # frames joined by ";", the innermost first
    ]
)

#: Blocks that were in use from before the first record until after the last.
MEMORY_HELD: Final = pa.schema(
    [
        ("device_type", pa.int32()),
        ("device", pa.int32()),
        ("address", pa.int64()),
        ("bytes", pa.int64()),
        ("requested", pa.int64()),  # what the program asked for
        ("call_stack", TEXT),
    ]
)

#: Purpose of memory, as determined by the recorder: bytes from this time on, sorted by time.
MEMORY_CATEGORIES: Final = pa.schema(
    [
        ("device", pa.int32()),
        ("time_ns", pa.int64()),
        ("category", TEXT),
        ("bytes", pa.int64()),
    ]
)

#: Arrow ends; `phase` is "s" or "f". `category` is launch ("ac2g" and its older names, from a call
#: to device work), operator (from an operator to the device work it requested), queue (from the
#: enqueuing to the dequeuing of a task) or "fwdbwd".
FLOWS: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("category", TEXT),
        ("phase", TEXT),
        ("time_ns", pa.int64()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
    ]
)

COUNTERS: Final = pa.schema(
    [
        ("name", TEXT),
        ("series", TEXT),
        ("pid", pa.int64()),
        ("time_ns", pa.int64()),
        ("value", pa.float64()),
    ]
)

#: One row per CPU thread, in order of first appearance. Users see and filter by `tid`.
THREADS: Final = pa.schema([("pid", pa.utf8()), ("tid", pa.int64()), ("name", pa.utf8())])

DEVICES: Final = pa.schema(
    [
        ("device", pa.int32()),
        ("name", pa.utf8()),
        ("memory_bytes", pa.int64()),
        ("compute_major", pa.int32()),
        ("compute_minor", pa.int32()),
        ("multiprocessors", pa.int32()),
    ]
)

#: Decoded arguments of collectives. `side` is "host" or "device", `row` the row in that table.
COLLECTIVES: Final = pa.schema(
    [
        ("side", pa.utf8()),
        ("row", pa.int64()),
        ("collective", pa.utf8()),
        ("dtype", pa.utf8()),
        ("in_elements", pa.int64()),
        ("out_elements", pa.int64()),
        ("group_size", pa.int64()),
        ("process_group", pa.utf8()),
        ("ranks", pa.utf8()),
    ]
)

TABLES: Final = {
    "host": HOST,
    "device": DEVICE,
    "memory": MEMORY,
    "memory_stacks": MEMORY_STACKS,
    "memory_held": MEMORY_HELD,
    "memory_categories": MEMORY_CATEGORIES,
    "flows": FLOWS,
    "counters": COUNTERS,
    "threads": THREADS,
    "devices": DEVICES,
    "collectives": COLLECTIVES,
    **schema_allocator.TABLES,
    **schema_vendors.TABLES,
}
