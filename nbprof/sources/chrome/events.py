"""Typed structs for Chrome trace events, with only the fields that nbprof keeps.

Argument fields are `Any`: writers disagree on whether a number is a number or text, and columns
sort that out (see `nbprof.sources.chrome.columns`). Arrays such as shapes stay JSON text.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

NO_TEXT = msgspec.Raw(b"")
MISSING = -1
NAN = float("nan")

Scalar: TypeAlias = "int | float | str | None"


class Args(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of an event; missing ones are -1, NaN, or no text."""

    external_id: Any = msgspec.field(default=MISSING, name="External id")
    external_id_old: Any = msgspec.field(default=MISSING, name="external id")
    sequence: Any = msgspec.field(default=MISSING, name="Sequence number")
    forward_thread: Any = msgspec.field(default=MISSING, name="Fwd thread id")
    input_shapes: msgspec.Raw = msgspec.field(default=NO_TEXT, name="Input Dims")
    input_shapes_old: msgspec.Raw = msgspec.field(default=NO_TEXT, name="Input dims")
    input_types: msgspec.Raw = msgspec.field(default=NO_TEXT, name="Input type")
    input_values: msgspec.Raw = msgspec.field(default=NO_TEXT, name="Concrete Inputs")
    call_stack: Any = msgspec.field(default="", name="Call stack")
    python_id: Any = msgspec.field(default=MISSING, name="Python id")
    python_parent: Any = msgspec.field(default=MISSING, name="Python parent id")
    module_id: Any = msgspec.field(default=MISSING, name="Python module id")
    correlation: Any = MISSING
    correlation_id: Any = None  # of JAX and TensorFlow
    device: Any = None
    stream: Any = None
    grid: msgspec.Raw = NO_TEXT
    block: msgspec.Raw = NO_TEXT
    registers: Any = msgspec.field(default=MISSING, name="registers per thread")
    shared_memory_bytes: Any = msgspec.field(default=MISSING, name="shared memory")
    blocks_per_sm: Any = msgspec.field(default=NAN, name="blocks per SM")
    warps_per_sm: Any = msgspec.field(default=NAN, name="warps per SM")
    occupancy_pct: Any = msgspec.field(default=NAN, name="est. achieved occupancy %")
    bytes: Any = MISSING
    size: Any = MISSING
    bandwidth_gbps: Any = msgspec.field(default=NAN, name="memory bandwidth (GB/s)")
    graph_node: Any = msgspec.field(default=MISSING, name="graph node id")
    change: Any = msgspec.field(default=0, name="Bytes")
    address: Any = msgspec.field(default=MISSING, name="Addr")
    device_type: Any = msgspec.field(default=MISSING, name="Device Type")
    device_id: Any = msgspec.field(default=MISSING, name="Device Id")
    total_allocated: Any = msgspec.field(default=MISSING, name="Total Allocated")
    total_reserved: Any = msgspec.field(default=MISSING, name="Total Reserved")
    collective: Any = msgspec.field(default=None, name="Collective name")
    dtype: Any = None
    in_elements: Any = msgspec.field(default=MISSING, name="In msg nelems")
    out_elements: Any = msgspec.field(default=MISSING, name="Out msg nelems")
    group_size: Any = msgspec.field(default=MISSING, name="Group size")
    group_name: Any = msgspec.field(default=None, name="Process Group Name")
    group_id: Any = msgspec.field(default=None, name="Process Group ID")
    group_text: Any = msgspec.field(default=None, name="Process Group Description")
    ranks: Any = msgspec.field(default=None, name="Process Group Ranks")
    name: Any = None
    #: Of slices that were recorded without a category, in what nbprof wrote.
    kind: Any = msgspec.field(default=None, name="nbprof kind")


NO_ARGS = Args()


class CommonEvent(msgspec.Struct, gc=False, eq=False):
    """The fields that events of all writers have; a missing duration is -1, hence invalid."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: Scalar = None
    tid: Scalar = None
    dur: Scalar = -1


class Event(CommonEvent):
    """One event."""

    ts: Scalar = None
    id: Scalar = None
    args: Args | None = NO_ARGS


class ExactEvent(CommonEvent):
    """An event whose time stamp keeps its decimal text, for times beyond a float's digits."""

    ts: msgspec.Raw = NO_TEXT
    id: Scalar = None
    args: Args | None = NO_ARGS


class CounterEvent(msgspec.Struct, gc=False, eq=False):
    """An event decoded only for the arguments of a counter: any names, any values."""

    args: Any = None
