"""`AllocatorState`: the segments of a device at a moment, with the blocks and gaps in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.analysis.allocator.segment_history import Segment

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AllocatorState:
    """What one device held at a moment.

    Attributes
    ----------
    history : AllocatorHistory
    moment : int
    segments : list of Segment
        By address.
    blocks : ndarray of int64, shape (blocks,)
        The blocks in use inside the segments, by address; indices into ``history.lives``.
    segment : ndarray of int64, shape (blocks,)
        The place of the segment of each block in `segments`.
    occupied : ndarray of int64, shape (blocks,)
        Bytes of the segment that each block occupies.
    outside : ndarray of int64
        Blocks in use of which no segment is known.
    """

    history: AllocatorHistory
    moment: int
    segments: list[Segment]
    blocks: Ints
    segment: Ints
    occupied: Ints
    outside: Ints

    @classmethod
    def of(cls, history: AllocatorHistory, moment: int) -> AllocatorState:
        """Return the state of a device at a moment."""
        lives = history.lives
        segments = history.segment_history.at(moment)
        blocks = lives.at(moment)
        blocks = blocks[np.argsort(lives.address[blocks], kind="stable")]
        start = np.array([one.address for one in segments], np.int64)
        end = np.array([one.end for one in segments], np.int64)
        address = lives.address[blocks]
        place = np.searchsorted(start, address, side="right") - 1
        inside = place >= 0
        inside[inside] = address[inside] < end[place[inside]]
        outside = blocks[~inside]
        blocks, place, address = blocks[inside], place[inside], address[inside]
        size = np.maximum(lives.size[blocks], 1)
        # A block ends where the next one or the end of its segment is.
        limit = end[place] if len(place) else np.empty(0, np.int64)
        same = place[1:] == place[:-1]
        limit[:-1][same] = np.minimum(limit[:-1][same], address[1:][same])
        return cls(
            history=history,
            moment=moment,
            segments=segments,
            blocks=blocks,
            segment=place,
            occupied=np.minimum(size, limit - address),
            outside=outside,
        )

    @property
    def segment_bytes(self) -> Ints:
        """Size of each segment."""
        return np.array([one.bytes for one in self.segments], np.int64)

    @property
    def allocated(self) -> Ints:
        """Bytes of each segment that blocks occupy."""
        total = np.zeros(len(self.segments), np.int64)
        np.add.at(total, self.segment, self.occupied)
        return total

    def gaps(self) -> tuple[Ints, Ints, Ints]:
        """Return the free gaps of segments: the place of the segment, and address and size.

        Gaps are sorted by address.
        """
        count = len(self.segments)
        places = np.arange(count)
        start = np.array([one.address for one in self.segments], np.int64)
        end = start + self.segment_bytes
        address = self.history.lives.address[self.blocks]
        # Before each block, and after the last one of each segment.
        follows = np.append(False, self.segment[1:] == self.segment[:-1])[: len(self.segment)]
        ends = address + self.occupied
        before = np.where(follows, np.append(0, ends[:-1])[: len(ends)], start[self.segment])
        last = np.searchsorted(self.segment, places, side="right") - 1
        has = np.searchsorted(self.segment, places, side="left") <= last
        tail = np.where(has, ends[last] if len(ends) else 0, start)
        place = np.concatenate([self.segment, places])
        low = np.concatenate([before, tail])
        high = np.concatenate([address, end])
        order = np.lexsort((low, place))
        place, low, size = place[order], low[order], (high - low)[order]
        some = size > 0
        return place[some], low[some], size[some]
