"""`SegmentHistory`: the segments of one device at any moment, by undoing events from the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import schema_allocator as allocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel

Ints = npt.NDArray[np.int64]

#: Events between two states that are kept.
_EVERY: Final = 256

_TAKEN: Final = (allocator.SEGMENT_ALLOC, allocator.SEGMENT_MAP)
_GIVEN_BACK: Final = (allocator.SEGMENT_FREE, allocator.SEGMENT_UNMAP)
_EXPANDABLE: Final = (allocator.SEGMENT_MAP, allocator.SEGMENT_UNMAP)


class Segment(NamedTuple):
    """A segment at one moment.

    Attributes
    ----------
    address, bytes, stream : int
    final : int
        Row in ``allocator_segments`` of the segment that it is, or was a part of, at the end of
        the recording; -1 if it was returned before.
    event : int
        Row in ``allocator_events`` of the event that returned it; -1 if `final` is known.
    """

    address: int
    bytes: int
    stream: int
    final: int
    event: int

    @property
    def end(self) -> int:
        """The address after its last byte."""
        return self.address + self.bytes


@dataclass
class SegmentHistory:
    """The segments of a device, at the end and before.

    Parameters
    ----------
    moments : ndarray of int64, shape (events,)
        The moment after each event about segments, ascending.
    rows : ndarray of int64, shape (events,)
        Their rows in ``allocator_events``.
    kept : list of list of Segment
        The segments after all events, and before every `_EVERY` more, backwards.
    """

    model: TraceModel
    moments: Ints
    rows: Ints
    kept: list[list[Segment]]

    @classmethod
    def of(cls, model: TraceModel, events: slice, segments: slice) -> SegmentHistory:
        """Return the history of a device by its rows in the tables of the allocator."""
        action = model.column("allocator_events", "action")[events]
        about = np.flatnonzero(np.isin(action, (*_TAKEN, *_GIVEN_BACK)))
        columns = ("address", "bytes", "stream")
        values = [model.column("allocator_segments", one)[segments].tolist() for one in columns]
        final = range(segments.start, segments.stop)
        last = [
            Segment(address, size, stream, row, -1)
            for address, size, stream, row in zip(*values, final, strict=True)
            if size > 0
        ]
        last.sort()
        history = cls(model, about + 1, about + events.start, [last])
        state = list(last)
        for count, row in enumerate(history.rows[::-1].tolist(), 1):
            history._undo(state, row)
            if count % _EVERY == 0:
                history.kept.append(list(state))
        return history

    def at(self, moment: int) -> list[Segment]:
        """Return the segments at a moment, by address."""
        undone = len(self.moments) - int(np.searchsorted(self.moments, moment, side="right"))
        kept = min(undone // _EVERY, len(self.kept) - 1)
        state = list(self.kept[kept])
        first, last = kept * _EVERY, undone
        for row in self.rows[::-1][first:last].tolist():
            self._undo(state, row)
        return state

    def _undo(self, state: list[Segment], row: int) -> None:
        action = int(self.model.column("allocator_events", "action")[row])
        address, size, stream = (
            int(self.model.column("allocator_events", name)[row])
            for name in ("address", "bytes", "stream")
        )
        if size <= 0:
            return
        if action in _TAKEN:
            _remove(state, address, address + size)
        else:
            _remove(state, address, address + size)  # nothing else can be there
            merges = action in _EXPANDABLE
            _insert(state, Segment(address, size, stream, -1, row), merges=merges)


def _insert(state: list[Segment], segment: Segment, *, merges: bool) -> None:
    """Add a segment; a part of an expandable one joins its neighbours of the same stream."""
    place = bisect_left(state, segment)
    first, last = place, place
    if merges:
        if last < len(state) and _adjoin(segment, state[last]):
            other = state[last]
            segment = other._replace(address=segment.address, bytes=segment.bytes + other.bytes)
            last += 1
        if first > 0 and _adjoin(state[first - 1], segment):
            other = state[first - 1]
            known = segment if segment.final >= 0 else other
            segment = known._replace(address=other.address, bytes=other.bytes + segment.bytes)
            first -= 1
    state[first:last] = [segment]


def _adjoin(one: Segment, other: Segment) -> bool:
    return one.end == other.address and one.stream == other.stream


def _remove(state: list[Segment], start: int, end: int) -> None:
    """Remove a range of addresses; what is left of segments on either side stays."""
    first = bisect_right(state, (start,)) - 1
    if first < 0 or state[first].end <= start:
        first += 1
    last = bisect_left(state, (end,))
    if first >= last:
        return
    rest = _cut(state[first:last], start, end)
    state[first:last] = rest


def _cut(segments: Sequence[Segment], start: int, end: int) -> list[Segment]:
    """Return what is left of segments outside a range."""
    left, right = segments[0], segments[-1]
    rest = []
    if left.address < start:
        rest.append(left._replace(bytes=start - left.address))
    if right.end > end:
        rest.append(right._replace(address=end, bytes=right.end - end))
    return rest
