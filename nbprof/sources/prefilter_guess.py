"""Where in a file's time a part of it lies, told by a look at its text.

A guess only: `nbprof.sources.prefilter` finds out whether it holds.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.model.selection import time_range_ns
from nbprof.sources.bytesource import ByteSource
from nbprof.sources.times import one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.catalog import TraceFile
    from nbprof.sources.options import ReadOptions

Span = tuple[int, int]

_STEP: Final = b"ProfilerStep#"
_NUMBER: Final = re.compile(rb"ProfilerStep#(\d{1,18})")
_TIME: Final = re.compile(rb'"ts"\s*:\s*"?(\d[\d.]*)')
_DURATION: Final = re.compile(rb'"dur"\s*:\s*"?(\d[\d.]*)')

#: Bytes that are read in one go, and the longest event that is of interest.
_PIECE: Final = 8 << 20
_EVENT: Final = 1 << 10

#: A range is guessed longer than it looks by this share, with least and most in ns.
_MARGIN: Final = 0.05
_MARGIN_NS: Final = (10**6, 10**8)

#: How far devices are taken to be behind, in steps.
_BEHIND: Final = 0.5


def guessed_range(file: TraceFile, options: ReadOptions) -> Span | None:
    """Return a range on the file's own base, in ns; None where there is nothing to go by."""
    if not isinstance(file.path, Path):
        return None  # reading it twice costs more than it saves
    spans = []
    if options.steps is not None:
        spans.append(_of_steps(file.path, *options.steps))
    if options.time_us is not None:
        spans.append(_of_times(file.path, options.time_us))
    known = [span for span in spans if span is not None]
    if not known:
        return None
    low, high = max(low for low, _ in known), min(high for _, high in known)
    margin = min(max(round((high - low) * _MARGIN), _MARGIN_NS[0]), _MARGIN_NS[1])
    return low - margin, max(low, high) + margin


def _of_steps(path: Path, first: int, last: int) -> Span | None:
    """Return from when to when steps run, on host and devices as far as these say so."""
    starts, ends = [], []
    for text in _around_steps(path):
        number, start, duration = _NUMBER.search(text), _TIME.search(text), _DURATION.search(text)
        if number and start and first <= int(number[1]) <= last:
            starts.append(_ns(start[1]))
            ends.append(starts[-1] + (_ns(duration[1]) if duration else 0))
    if not starts:
        return None
    # Devices are behind: what a step launched may take them until some time in the next one.
    low, high = min(starts), max(ends)
    return low, high + round((high - low) / (last - first + 1) * _BEHIND)


def _around_steps(path: Path) -> Iterator[bytes]:
    """Yield the text of events about steps, from their name on."""
    with ByteSource(path) as source:
        rest = b""
        while piece := source.read(_PIECE):
            text = rest + piece
            at = text.find(_STEP)
            while 0 <= at < len(text) - _EVENT:
                yield text[at : at + _EVENT].partition(b"}")[0]
                at = text.find(_STEP, at + len(_STEP))
            rest = text[at:] if at >= 0 else text[-len(_STEP) :]
        if _STEP in rest:
            for part in rest.split(_STEP)[1:]:
                yield _STEP + part.partition(b"}")[0]


def _of_times(path: Path, time_us: tuple[float, float]) -> Span | None:
    """Return a range that counts from the first event, which is taken to be near the beginning."""
    with ByteSource(path) as source:
        found = _TIME.findall(source.read(_PIECE))
    if not found:
        return None
    zero = min(_ns(text) for text in found)
    low, high = time_range_ns(time_us)
    return zero + low, zero + high


def _ns(text: bytes) -> int:
    return int(one_by_one([text.decode()])[0])
