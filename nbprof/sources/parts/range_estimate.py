"""Estimates from the text of a file which time range a filter needs.

The estimate may be wrong; `nbprof.sources.parts.prefilter` checks it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.model.filters.selection import time_range_ns
from nbprof.sources.chrome.times import one_by_one
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.parts.event_selection import FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.options import ReadOptions

Span = tuple[int, int]

_STEP: Final = b"ProfilerStep#"
_NUMBER: Final = re.compile(rb"ProfilerStep#(\d{1,18})")
_TIME: Final = re.compile(rb'"ts"\s*:\s*"?(\d+(?:\.\d+)?)')
_DURATION: Final = re.compile(rb'"dur"\s*:\s*"?(\d+(?:\.\d+)?)')

#: Bytes that are read at once, and the greatest length of an event that is searched for.
_PIECE: Final = 4 << 20
_EVENT: Final = 1 << 10

#: The estimated range is extended by this share, within these bounds in nanoseconds.
_MARGIN: Final = 0.05
_MARGIN_NS: Final = (10**6, 10**8)

#: How far devices are assumed to lag behind the host, in steps.
_BEHIND: Final = 0.5


@dataclass(frozen=True)
class RangeEstimate:
    """The estimated range of a part.

    Attributes
    ----------
    span : (int, int)
        The range, in nanoseconds from the base of the file.
    has_steps : bool
        Whether it contains all steps of the part, and the steps before and after.
    """

    span: Span
    has_steps: bool


class _Mark(NamedTuple):
    number: int
    start: int
    end: int


def estimate_range(file: TraceFile, options: ReadOptions) -> RangeEstimate | None:
    """Return the estimated range of a part, None if the text gives no estimate."""
    if not isinstance(file.path, Path):
        return None  # reading it twice would cost more than it saves
    zero, marks = _scan_steps(file.path)
    low, high = -FAR, FAR
    if options.time_us is not None and zero is not None:
        low, high = (zero + time for time in time_range_ns(options.time_us))
    elif options.steps is None:
        return None
    numbers = {mark.number for mark in marks if mark.end > low and mark.start < high}
    if options.steps is not None:
        numbers = {number for number in numbers if options.steps[0] <= number <= options.steps[1]}
    if numbers:
        span = _around(marks, min(numbers), max(numbers))
        if high < FAR:
            span = min(span[0], max(low, -FAR)), max(span[1], min(high, FAR))
        return RangeEstimate(_with_margin(*span), has_steps=True)
    if options.time_us is None or options.steps is not None:
        return None
    return RangeEstimate(_with_margin(low, high), has_steps=False)


def _around(marks: list[_Mark], first: int, last: int) -> Span:
    """Return the range of steps on host and devices, with the steps before and after."""
    numbers = [mark.number for mark in marks]
    before = max((number for number in numbers if number < first), default=None)
    after = min((number for number in numbers if number > last), default=None)
    low = min((mark.start for mark in marks if mark.number == before), default=-FAR)
    high = max((mark.end for mark in marks if mark.number == after), default=FAR)
    length = max(mark.end - mark.start for mark in marks if first <= mark.number <= last)
    # Devices lag behind: they may work for a step until some time in the next one.
    return low, high if high == FAR else high + round(length * _BEHIND)


def _with_margin(low: int, high: int) -> Span:
    margin = _MARGIN_NS[0]
    if low > -FAR and high < FAR:
        margin = min(max(round((high - low) * _MARGIN), margin), _MARGIN_NS[1])
    return max(low - margin, -FAR), min(high + margin, FAR)


def _scan_steps(path: Path) -> tuple[int | None, list[_Mark]]:
    """Return the approximate start of the first event, and the steps found in the text."""
    zero, marks = None, []
    for piece, text in _pieces(path):
        if piece:
            times = _TIME.findall(text)
            zero = _ns(min(times, key=float)) if times else None
            continue
        number, start, duration = _NUMBER.search(text), _TIME.search(text), _DURATION.search(text)
        if number and start:
            begin = _ns(start[1])
            length = _ns(duration[1]) if duration else 0
            marks.append(_Mark(int(number[1]), begin, begin + length))
    return zero, marks


def _pieces(path: Path) -> Iterator[tuple[bool, bytes]]:
    """Yield the beginning of a file, and then the text of step events, from their name on."""
    with ByteSource(path) as source:
        piece = source.read(_PIECE)
        yield True, piece
        tail = b""
        while piece:
            # An event at the end of a piece may continue in the next one.
            border = tail + piece[:_EVENT]
            end = max(0, len(piece) - _EVENT)
            yield from ((False, one) for one in _steps_in(border, len(tail)))
            yield from ((False, one) for one in _steps_in(piece, end))
            tail, piece = piece[end:], source.read(_PIECE)
        yield from ((False, one) for one in _steps_in(tail, len(tail)))


def _steps_in(text: bytes, end: int) -> Iterator[bytes]:
    """Yield the text after each step name that begins before a position."""
    at = text.find(_STEP)
    while 0 <= at < end:
        yield text[at : at + _EVENT].partition(b"}")[0]
        at = text.find(_STEP, at + len(_STEP))


def _ns(text: bytes) -> int:
    return int(one_by_one([text.decode()])[0])
