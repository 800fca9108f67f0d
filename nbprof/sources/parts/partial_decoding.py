"""Decodes windows outside the time range only as far as needed to skip them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from nbprof.sources.chrome.decoding import Window, WindowDecoder
from nbprof.sources.chrome.events import MISSING, NAN, NO_TEXT, CommonEvent, Scalar
from nbprof.sources.chrome.times import Nanoseconds, from_text, nanoseconds
from nbprof.sources.kineto.categories import STEP_PREFIX
from nbprof.sources.parts.outside_window import OutsideWindow

if TYPE_CHECKING:
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.parts.event_selection import EventSelection
    from nbprof.sources.parts.event_skipper import EventSkipper

_TIME = re.compile(rb'"ts"\s*:\s*"?(\d+(?:\.\d+)?)')

_get_start = attrgetter("ts")
_get_duration = attrgetter("dur")
_get_name = attrgetter("name")
_get_track = attrgetter("ph", "cat", "pid", "tid")


class PartialArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """Arguments that are needed of events outside of the range: of steps and memory records.

    All other arguments have the values that stand for missing ones.
    """

    correlation: Any = MISSING
    external_id: Any = msgspec.field(default=MISSING, name="External id")
    module_id: Any = msgspec.field(default=MISSING, name="Python module id")
    change: Any = msgspec.field(default=0, name="Bytes")
    address: Any = msgspec.field(default=MISSING, name="Addr")
    device_type: Any = msgspec.field(default=MISSING, name="Device Type")
    device_id: Any = msgspec.field(default=MISSING, name="Device Id")
    total_allocated: Any = msgspec.field(default=MISSING, name="Total Allocated")
    total_reserved: Any = msgspec.field(default=MISSING, name="Total Reserved")
    external_id_old: ClassVar[int] = MISSING
    sequence: ClassVar[int] = MISSING
    forward_thread: ClassVar[int] = MISSING
    input_shapes: ClassVar[msgspec.Raw] = NO_TEXT
    input_shapes_old: ClassVar[msgspec.Raw] = NO_TEXT
    input_types: ClassVar[msgspec.Raw] = NO_TEXT
    input_values: ClassVar[msgspec.Raw] = NO_TEXT
    call_stack: ClassVar[str] = ""
    collective: ClassVar[None] = None
    correlation_id: ClassVar[None] = None
    blocks_per_sm: ClassVar[float] = NAN


_NO_ARGS = PartialArgs()


class PartialEvent(CommonEvent):
    """An event outside of the range."""

    ts: Scalar = None
    args: PartialArgs | None = _NO_ARGS


class ExactPartialEvent(CommonEvent):
    """An event outside of the range, with the decimal text of its time."""

    ts: msgspec.Raw = NO_TEXT
    args: PartialArgs | None = _NO_ARGS


class PartialDecoder(WindowDecoder):
    """Decodes windows outside of a range partially, and all others in full.

    Parameters
    ----------
    decoder : WindowDecoder
        The decoder that this one replaces, before it has decoded anything.
    skipper : EventSkipper
        Drops the events outside of the range.
    """

    def __init__(self, decoder: WindowDecoder, skipper: EventSkipper) -> None:
        super().__init__(decoder._defects)  # noqa: SLF001 - it takes its place
        self.exact, self.was_lax = decoder.exact, decoder.was_lax
        self._skipper = skipper

    def decode(self, text: bytes) -> Window:
        """Decode a JSON array of events.

        Raises
        ------
        msgspec.DecodeError, UnicodeDecodeError, RecursionError
            The text is not a JSON array.
        """
        window = self._decode_partially(text)
        return super().decode(text) if window is None else window

    def _decode_partially(self, text: bytes) -> Window | None:
        """Return a window that lies outside of the range; None if it does not, or may not."""
        if self._skipper.features.needs_full_decoding(text) or self._begins_inside(text):
            return None
        try:
            events: list[Any] = (_exact if self.exact else _plain).decode(text)
        except msgspec.ValidationError:
            return None
        starts = list(map(_get_start, events))
        start = from_text(list(map(bytes, starts))) if self.exact else nanoseconds(starts)
        if start is None or not _is_outside(events, start, self._skipper.selection):
            return None
        names = list(map(_get_name, events))
        distinct = set(names)
        taken = {name for name in distinct if name and _is_taken(name)}
        window = None
        if taken:
            stays = np.fromiter(map(taken.__contains__, names), bool, len(names))
            window = Window(list(compress(events, stays.tolist())), start[stays], text)
            events, start = list(compress(events, (~stays).tolist())), start[~stays]
        tracks = Counter(map(_get_track, events))
        if not self._skipper.can_skip_all(distinct - taken, tracks):
            return None
        self.was_lax |= not self.exact
        return OutsideWindow(events, start, text, None, tracks, window)

    def _begins_inside(self, text: bytes) -> bool:
        """Whether the first event with a time is in the range, so that full decoding is needed."""
        match = _TIME.search(text)
        selection = self._skipper.selection
        return match is not None and selection.low <= float(match[1]) * 1000 < selection.high


def _is_taken(name: str) -> bool:
    return name == "[memory]" or name.startswith(STEP_PREFIX)


def _is_outside(events: list[Any], start: Nanoseconds, selection: EventSelection) -> bool:
    """Whether no event reaches into the range; False if that is unclear."""
    early = start < selection.low
    if len(start) == 0 or not (early | (start >= selection.high)).all():
        return False
    if not early.any():
        return True
    length = nanoseconds(list(map(_get_duration, events)))
    if length is None:
        return False
    return not bool((start + np.maximum(length, 0) > selection.low)[early].any())


def decode_partially(windows: EventWindows, skipper: EventSkipper) -> None:
    """Make windows of a file decode partially outside of the range, if there is one."""
    if skipper.selection.ranged:
        windows.decoder = PartialDecoder(windows.decoder, skipper)


_plain = msgspec.json.Decoder(list[PartialEvent])
_exact = msgspec.json.Decoder(list[ExactPartialEvent])
