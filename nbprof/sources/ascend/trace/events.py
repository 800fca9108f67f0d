"""Typed structs for the events of a `trace_view.json`, with their arguments.

One file has several writers with different arguments, so arguments stay text until the kind of an
event is known.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from nbprof.sources.chrome.decoding import SYNTAX_ERRORS, WindowDecoder, plain_fields
from nbprof.sources.chrome.events import MISSING, NAN, NO_TEXT, CommonEvent, Scalar
from nbprof.sources.chrome.repair import repair_json
from nbprof.sources.defects import EXAMPLE_LENGTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.defects import DefectLog

Args = TypeVar("Args", bound=msgspec.Struct)


class Event(CommonEvent):
    """One event."""

    ts: Scalar = None
    id: Scalar = None
    args: msgspec.Raw = NO_TEXT


class ExactEvent(CommonEvent):
    """One event, with the decimal text of its time."""

    ts: msgspec.Raw = NO_TEXT
    id: Scalar = None
    args: msgspec.Raw = NO_TEXT


class OperatorArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of an operator."""

    sequence: Any = msgspec.field(default=MISSING, name="Sequence number")
    forward_thread: Any = msgspec.field(default=MISSING, name="Fwd thread id")
    input_shapes: Any = msgspec.field(default=None, name="Input Dims")
    input_types: Any = msgspec.field(default=None, name="Input type")
    call_stack: Any = msgspec.field(default=None, name="Call stack")


class FrameArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of a Python function or a module."""

    python_id: Any = msgspec.field(default=MISSING, name="Python id")
    python_parent: Any = msgspec.field(default=MISSING, name="Python parent id")
    module_id: Any = msgspec.field(default=MISSING, name="Python module id")


class SliceArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of a CANN call, a hardware task, or a part of a communication operator."""

    connection: Any = msgspec.field(default=MISSING, name="connection_id")
    task_type: Any = msgspec.field(default=None, name="Task Type")
    part_type: Any = msgspec.field(default=None, name="task type")
    task: Any = msgspec.field(default=MISSING, name="Task Id")
    bytes: Any = msgspec.field(default=MISSING, name="size(Byte)")
    bandwidth_gbps: Any = msgspec.field(default=NAN, name="bandwidth(GB/s)")
    dtype: Any = msgspec.field(default=None, name="data_type")
    elements: Any = msgspec.field(default=MISSING, name="count")


class NameArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments of a metadata event about a process or a thread."""

    name: Any = None
    labels: Any = None
    sort_index: Any = None


class Decoder(WindowDecoder):
    """Decodes windows to these events."""

    plain = msgspec.json.Decoder(list[Event])
    exact_times = msgspec.json.Decoder(list[ExactEvent])

    @staticmethod
    def to_event(item: dict[str, Any]) -> Event:
        """Build an event from a decoded object."""
        args = item.get("args")
        text = msgspec.json.encode(args, enc_hook=str) if isinstance(args, dict) else b""
        return Event(**plain_fields(item), args=msgspec.Raw(text))


_DECODERS: Final[dict[type, Any]] = {
    one: msgspec.json.Decoder(list[one])  # type: ignore[valid-type]
    for one in (OperatorArgs, FrameArgs, SliceArgs, NameArgs)
}
_counter = msgspec.json.Decoder(list[dict[str, Any]])


def args_of(events: Sequence[Any], kind: type[Args], defects: DefectLog) -> list[Args]:
    """Decode the arguments of events; invalid ones become the default."""
    found: list[Args] = _decode(events, _DECODERS[kind], defects, kind())
    return found


def counter_args_of(events: Sequence[Any], defects: DefectLog) -> list[dict[str, Any]]:
    """Decode the values of counters by series name."""
    found: list[dict[str, Any]] = _decode(events, _counter, defects, {})
    return found


def _decode(events: Sequence[Any], decoder: Any, defects: DefectLog, missing: Any) -> list[Any]:
    texts = [bytes(event.args) or b"{}" for event in events]
    try:
        return list(decoder.decode(b"[" + b",".join(texts) + b"]"))
    except SYNTAX_ERRORS:
        pass
    return [_decode_one(text, decoder, defects, missing) for text in texts]


def _decode_one(text: bytes, decoder: Any, defects: DefectLog, missing: Any) -> Any:
    for attempt, repairs in ((text, []), repair_json(text)):
        with suppress(*SYNTAX_ERRORS):
            found = decoder.decode(b"[" + attempt + b"]")[0]
            for one in repairs:
                defects.note(one.kind, one.count, one.example)
            return found
    if text != b"null":
        defects.note(
            "odd types", 1, f"arguments {text[:EXAMPLE_LENGTH].decode('utf-8', 'replace')}"
        )
    return missing
