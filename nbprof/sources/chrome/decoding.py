"""Decodes the JSON text of a window to events with exact times."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from nbprof.sources.chrome.events import NO_ARGS, Args, CounterEvent, Event, ExactEvent
from nbprof.sources.chrome.repair import repair_json
from nbprof.sources.chrome.times import (
    Nanoseconds,
    decimal_number,
    from_text,
    nanoseconds,
    one_by_one,
)
from nbprof.sources.limits.room import decode_in_room

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.defects import DefectLog

#: Exceptions that decoders raise for invalid JSON.
SYNTAX_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_ARGS_BY_KEY = dict(zip(Args.__struct_encode_fields__, Args.__struct_fields__, strict=True))
_TEXT_FIELDS = {
    "input_shapes",
    "input_shapes_old",
    "input_types",
    "input_values",
    "grid",
    "block",
}


@dataclass(frozen=True)
class Window:
    """The events of one window.

    Attributes
    ----------
    events : sequence of Event or ExactEvent
    start : ndarray of int64, shape (events,)
        Nanoseconds on the file's own base; `NO_TIME` where an event has none.
    text : bytes
        The text that was decoded.
    objects : list, optional
        The events as plain objects, where they were decoded to such.
    """

    events: Sequence[Any]
    start: Nanoseconds
    text: bytes = b""
    objects: list[dict[str, Any]] | None = None

    def plain_args(self, defects: DefectLog) -> list[Any]:
        """Return the arguments of every event as plain objects; only counters need them."""
        if self.objects is not None:
            return [item.get("args") for item in self.objects]
        try:
            events = decode_in_room(_counters, self.text)
        except SYNTAX_ERRORS:  # in text that nothing else has looked at
            text, repairs = repair_json(self.text)
            for one in repairs:
                defects.note(one.kind, one.count, one.example)
            events = decode_in_room(_counters, text)
        return [event.args for event in events]


class WindowDecoder:
    """Decodes windows, one array of events after another.

    The first window with times that a float cannot hold makes it keep the decimal text of times.

    Attributes
    ----------
    exact : bool
        Whether windows are decoded with the decimal text of their times.
    was_lax : bool
        Whether a window was decoded without.
    """

    #: Decoders of an array of events, with times as numbers and as their text.
    plain: Any = msgspec.json.Decoder(list[Event])
    exact_times: Any = msgspec.json.Decoder(list[ExactEvent])

    def __init__(self, defects: DefectLog) -> None:
        self._defects = defects
        self.exact = False
        self.was_lax = False

    def decode(self, text: bytes) -> Window:
        """Decode a JSON array of events.

        Raises
        ------
        msgspec.DecodeError, UnicodeDecodeError, RecursionError
            The text is not a JSON array.
        OSError
            There is no room for its events.
        """
        try:
            if not self.exact:
                events = self.events(text, exact=False)
                start = nanoseconds(list(map(attrgetter("ts"), events)))
                if start is not None:
                    self.was_lax = True
                    return Window(events, start, text)
                self.exact = True
                del events
            exact = self.events(text, exact=True)
            return Window(exact, from_text([bytes(event.ts) for event in exact]), text)
        except msgspec.ValidationError:
            self.was_lax |= not self.exact
            return self.from_objects(decode_in_room(_anything, text))

    def events(self, text: bytes, *, exact: bool) -> Any:
        """Decode a JSON array to events, with times as numbers, or exactly, as their text."""
        return self.fully(text, exact=exact)

    @classmethod
    def fully(cls, text: bytes, *, exact: bool) -> Any:
        """Decode a JSON array to events with all fields that the decoder knows."""
        return decode_in_room(cls.exact_times if exact else cls.plain, text)

    def from_objects(self, objects: Sequence[Any]) -> Window:
        """Build a window from decoded objects with values of any type."""
        if not isinstance(objects, list):
            objects = [objects]
        found = [item for item in objects if isinstance(item, dict)]
        others = [item for item in objects if not isinstance(item, dict)]
        if others:
            self._defects.note("not an event", len(others), repr(others[0]))
        self._defects.note(
            "odd types", sum(map(_is_odd, found)), repr(next(filter(_is_odd, found), ""))
        )
        events = [self.to_event(item) for item in found]
        start = one_by_one([event.ts for event in events])
        return Window(events, start, objects=found)

    @staticmethod
    def to_event(item: dict[str, Any]) -> Any:
        """Build an event from a decoded object."""
        args = item.get("args")
        return Event(
            **plain_fields(item), args=_to_args(args) if isinstance(args, dict) else NO_ARGS
        )


def _is_odd(item: dict[str, Any]) -> bool:
    texts = (item.get(key) for key in ("ph", "cat", "name"))
    scalars = (item.get(key) for key in ("pid", "tid", "ts", "dur", "id"))
    return (
        not all(text is None or isinstance(text, str) for text in texts)
        or any(isinstance(scalar, (list, dict, bool)) for scalar in scalars)
        or not isinstance(item.get("args", {}), (dict, type(None)))
    )


def plain_fields(item: dict[str, Any]) -> dict[str, Any]:
    """Return the common fields of a decoded object, without the arguments."""
    return {
        "ph": _text(item.get("ph")),
        "cat": _text(item.get("cat")),
        "name": _text(item.get("name")),
        "pid": _scalar(item.get("pid")),
        "tid": _scalar(item.get("tid")),
        "ts": _scalar(item.get("ts")),
        "dur": _scalar(item.get("dur", -1)),
        "id": _scalar(item.get("id")),
    }


def _to_args(args: dict[str, Any]) -> Args:
    fields = {_ARGS_BY_KEY[key]: value for key, value in args.items() if key in _ARGS_BY_KEY}
    for name in _TEXT_FIELDS & fields.keys():
        fields[name] = msgspec.Raw(msgspec.json.encode(fields[name], enc_hook=str))
    return Args(**fields)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _scalar(value: Any) -> Any:
    return None if isinstance(value, (list, dict, bool)) else value


_counters = msgspec.json.Decoder(list[CounterEvent])
_anything = msgspec.json.Decoder(float_hook=decimal_number)
