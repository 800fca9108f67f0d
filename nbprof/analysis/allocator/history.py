"""`AllocatorHistory`: the moments of one device, and what was in use and reserved at each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.allocator.lives import Lives, find_lives
from nbprof.analysis.allocator.segment_history import SegmentHistory
from nbprof.model.trace import schema_allocator as allocator

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Ints = npt.NDArray[np.int64]

#: Effects of events on the memory that the allocator has taken from the device.
_RESERVED: Final = {
    allocator.SEGMENT_ALLOC: 1,
    allocator.SEGMENT_MAP: 1,
    allocator.SEGMENT_FREE: -1,
    allocator.SEGMENT_UNMAP: -1,
}


@dataclass(frozen=True)
class AllocatorHistory:
    """The history of one device. There is one moment more than there are events.

    Attributes
    ----------
    device : int
        Number of the device.
    events, segments, blocks : slice
        Its rows in ``allocator_events``, ``allocator_segments`` and ``allocator_blocks``.
    """

    model: TraceModel
    device: int
    events: slice
    segments: slice
    blocks: slice

    @property
    def last(self) -> int:
        """The last moment: that of the snapshot."""
        return int(self.events.stop - self.events.start)

    @cached_property
    def lives(self) -> Lives:
        """The blocks of the device."""
        return find_lives(self.model, self.events, self.blocks)

    @cached_property
    def segment_history(self) -> SegmentHistory:
        """The segments of the device."""
        return SegmentHistory.of(self.model, self.events, self.segments)

    @cached_property
    def time_ns(self) -> Ints:
        """The time at which each moment begins, shape (moments,); the first is that of the next."""
        time = self.model.column("allocator_events", "time_ns")[self.events]
        return np.append(time[:1], time) if len(time) else np.zeros(1, np.int64)

    @cached_property
    def in_use(self) -> Ints:
        """Bytes taken by the blocks in use at each moment, shape (moments,)."""
        change = np.zeros(self.last + 2, np.int64)
        np.add.at(change, self.lives.start, self.lives.size)
        np.subtract.at(change, self.lives.end, self.lives.size)
        total: Ints = np.cumsum(change)[: self.last + 1]
        return total

    def requested(self, moment: int) -> int:
        """Return the bytes that the program asked for in the blocks in use at a moment."""
        return int(self.lives.requested[self.lives.at(moment)].sum())

    @cached_property
    def reserved(self) -> Ints:
        """Bytes of the segments at each moment, shape (moments,)."""
        action = self.model.column("allocator_events", "action")[self.events]
        size = self.model.column("allocator_events", "bytes")[self.events]
        effect = np.zeros(len(allocator.ACTIONS), np.int64)
        effect[list(_RESERVED)] = list(_RESERVED.values())
        run = np.append(0, np.cumsum(effect[action] * np.maximum(size, 0)))
        held = self.model.column("allocator_segments", "bytes")[self.segments]
        # A history alone has the least that its events allow.
        first = int(held.sum()) - int(run[-1]) if len(held) else -int(run.min())
        total: Ints = np.maximum(run + first, 0)
        return total

    @cached_property
    def peak(self) -> int:
        """The first moment with the most memory in use."""
        return int(np.argmax(self.in_use))

    def moment_at(self, time_us: float | None) -> int:
        """Return the moment at a time: after all events up to then; the last one for None."""
        if time_us is None:
            return self.last
        time = self.time_ns[1:]
        return int(np.searchsorted(time, round(time_us * 1000), side="right"))

    def ooms(self) -> Ints:
        """Return the moments after allocations that failed for lack of memory."""
        action = self.model.column("allocator_events", "action")[self.events]
        moments: Ints = np.flatnonzero(action == allocator.OOM) + 1
        return moments


def allocator_histories(model: TraceModel) -> dict[int, AllocatorHistory]:
    """Return the history of every device of a snapshot by its number; empty for other traces."""
    return model.cached("allocator histories", lambda: _histories(model))


def _histories(model: TraceModel) -> dict[int, AllocatorHistory]:
    names = ("allocator_events", "allocator_segments", "allocator_blocks")
    columns = [model.column(name, "device") for name in names]
    found = {}
    for device in np.unique(np.concatenate(columns)).tolist():
        rows = [
            slice(*np.searchsorted(column, [device, device + 1]).tolist()) for column in columns
        ]
        found[device] = AllocatorHistory(model, device, *rows)
    return found
