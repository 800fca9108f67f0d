"""Typed structs for the events of Paddle's JSON, and their decoder."""

from __future__ import annotations

from typing import Any

import msgspec

from nbprof.sources.chrome.decoding import WindowDecoder, plain_fields
from nbprof.sources.chrome.events import MISSING, NAN, NO_TEXT, CommonEvent, Scalar


class Args(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of an event; missing ones are -1, NaN, None or empty."""

    start_time: Any = None
    end_time: Any = None
    correlation: Any = msgspec.field(default=MISSING, name="correlation id")
    input_shapes: msgspec.Raw = NO_TEXT
    input_types: msgspec.Raw = msgspec.field(default=NO_TEXT, name="input_dtypes")
    call_stack: Any = msgspec.field(default=None, name="callstack")
    device: Any = None
    stream: Any = None
    grid: msgspec.Raw = NO_TEXT
    block: msgspec.Raw = NO_TEXT
    registers: Any = msgspec.field(default=MISSING, name="registers per thread")
    shared_memory_bytes: Any = msgspec.field(default=MISSING, name="shared memory")
    blocks_per_sm: Any = msgspec.field(default=NAN, name="blocks per SM")
    warps_per_sm: Any = msgspec.field(default=NAN, name="warps per SM")
    occupancy_pct: Any = msgspec.field(default=NAN, name="theoretical achieved occupancy %")
    bytes: Any = MISSING
    bandwidth_gbps: Any = msgspec.field(default=NAN, name="memory bandwidth (GB/s)")
    place: Any = None
    address: Any = msgspec.field(default=MISSING, name="addr")
    change: Any = msgspec.field(default=0, name="increase_bytes")
    total_allocated: Any = msgspec.field(default=MISSING, name="current_allocated")
    total_reserved: Any = msgspec.field(default=MISSING, name="current_reserved")
    peak_allocated: Any = MISSING
    peak_reserved: Any = MISSING
    name: Any = None


NO_ARGS = Args()

_BY_KEY = dict(zip(Args.__struct_encode_fields__, Args.__struct_fields__, strict=True))
_TEXT_FIELDS = {"input_shapes", "input_types", "grid", "block"}


class Event(CommonEvent):
    """One event."""

    ts: Scalar = None
    args: Args | None = NO_ARGS


class ExactEvent(CommonEvent):
    """An event whose time stamp keeps its decimal text; Paddle itself writes whole numbers."""

    ts: msgspec.Raw = NO_TEXT
    args: Args | None = NO_ARGS


class EventDecoder(WindowDecoder):
    """Decodes arrays of events; `Window.start` is the first stamp."""

    plain = msgspec.json.Decoder(list[Event])
    exact_times = msgspec.json.Decoder(list[ExactEvent])

    @staticmethod
    def to_event(item: dict[str, Any]) -> Any:
        """Make an event of a decoded object."""
        args = item.get("args")
        fields = {key: value for key, value in plain_fields(item).items() if key != "id"}
        return Event(**fields, args=_to_args(args) if isinstance(args, dict) else NO_ARGS)


def _to_args(args: dict[str, Any]) -> Args:
    fields = {_BY_KEY[key]: value for key, value in args.items() if key in _BY_KEY}
    for name in _TEXT_FIELDS & fields.keys():
        fields[name] = msgspec.Raw(msgspec.json.encode(fields[name], enc_hook=str))
    return Args(**fields)
