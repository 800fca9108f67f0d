"""Windows that lie outside of the range that is taken, decoded no further than to see that."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from nbprof.sources.chrome.decoding import Window, WindowDecoder
from nbprof.sources.chrome.events import MISSING, NAN, NO_TEXT, CommonEvent, Scalar
from nbprof.sources.chrome.times import Nanoseconds, from_text, nanoseconds
from nbprof.sources.kineto.categories import STEP_PREFIX

if TYPE_CHECKING:
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.parts.skipper import Skipper, Track
    from nbprof.sources.parts.taking import Taking

_TIME = re.compile(rb'"ts"\s*:\s*"?(\d+(?:\.\d+)?)')

_get_start = attrgetter("ts")
_get_duration = attrgetter("dur")
_get_name = attrgetter("name")
_get_track = attrgetter("ph", "cat", "pid", "tid")


@dataclass(frozen=True)
class OutsideWindow(Window):
    """A window outside of the range, without what is taken in any case.

    Attributes
    ----------
    tracks : Counter of (str, str, scalar, scalar)
        How many events there are of each phase, category, process and thread.
    taken : Window
        What is taken: steps and memory records.
    """

    tracks: Counter[Track] = field(default_factory=Counter)
    taken: Window | None = None


class BriefArgs(msgspec.Struct, gc=False, eq=False, frozen=True):
    """What of the arguments counts of events outside of the range: of steps and memory records.

    The others have the values that they have where they are missing.
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
    call_stack: ClassVar[str] = ""
    collective: ClassVar[None] = None
    blocks_per_sm: ClassVar[float] = NAN


_NO_ARGS = BriefArgs()


class BriefEvent(CommonEvent):
    """An event that is left out."""

    ts: Scalar = None
    args: BriefArgs | None = _NO_ARGS


class ExactBriefEvent(CommonEvent):
    """The same with the decimal text of its time."""

    ts: msgspec.Raw = NO_TEXT
    args: BriefArgs | None = _NO_ARGS


class BriefDecoder(WindowDecoder):
    """Decodes windows outside of a range in brief, all others as they are.

    Parameters
    ----------
    decoder : WindowDecoder
        What it stands in for, before anything was decoded.
    skipper : Skipper
        What leaves events out.
    """

    def __init__(self, decoder: WindowDecoder, skipper: Skipper) -> None:
        super().__init__(decoder._faults)  # noqa: SLF001 - it takes its place
        self.exact, self.was_lax = decoder.exact, decoder.was_lax
        self._skipper = skipper

    def decode(self, text: bytes) -> Window:
        """Decode a JSON array of events.

        Raises
        ------
        msgspec.DecodeError, UnicodeDecodeError, RecursionError
            The text is no JSON array.
        """
        window = self._brief(text)
        return super().decode(text) if window is None else window

    def _brief(self, text: bytes) -> Window | None:
        """Return a window of which nothing is taken; None for others, and where that is unclear."""
        if self._skipper.firsts.wants_all_of(text) or self._begins_inside(text):
            return None
        try:
            events: list[Any] = (_exact if self.exact else _plain).decode(text)
        except msgspec.ValidationError:
            return None
        starts = list(map(_get_start, events))
        start = from_text(list(map(bytes, starts))) if self.exact else nanoseconds(starts)
        if start is None or not _is_outside(events, start, self._skipper.taking):
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
        if not self._skipper.leaves_all(distinct - taken, tracks):
            return None
        self.was_lax |= not self.exact
        return OutsideWindow(events, start, text, None, tracks, window)

    def _begins_inside(self, text: bytes) -> bool:
        """Whether the first event with a time is in the range; then all is decoded at once."""
        found = _TIME.search(text)
        taking = self._skipper.taking
        return found is not None and taking.low <= float(found[1]) * 1000 < taking.high


def _is_taken(name: str) -> bool:
    return name == "[memory]" or name.startswith(STEP_PREFIX)


def _is_outside(events: list[Any], start: Nanoseconds, taking: Taking) -> bool:
    """Whether no event reaches into the range; False also where that cannot be told."""
    early = start < taking.low
    if len(start) == 0 or not (early | (start >= taking.high)).all():
        return False
    if not early.any():
        return True
    length = nanoseconds(list(map(_get_duration, events)))
    if length is None:
        return False
    return not bool((start + np.maximum(length, 0) > taking.low)[early].any())


def brief_where_possible(windows: EventWindows, skipper: Skipper) -> None:
    """Let windows of a file be decoded in brief where nothing of them is taken."""
    if skipper.taking.ranged:
        windows.decoder = BriefDecoder(windows.decoder, skipper)


_plain = msgspec.json.Decoder(list[BriefEvent])
_exact = msgspec.json.Decoder(list[ExactBriefEvent])
