"""`segment_rows`: segments packed into rows of equal length, with blocks wide enough to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.analysis.allocator.state import AllocatorState

Ints = npt.NDArray[np.int64]

#: Rows, at most; more segments make rows longer.
_MOST_ROWS: Final = 240
#: Part of a row between two segments.
_GAP: Final = 0.004


@dataclass(frozen=True)
class SegmentRows:
    """Segments and blocks as they are drawn.

    Attributes
    ----------
    length : int
        Bytes that a row holds.
    rows : int
        Number of rows.
    order : ndarray of int64, shape (segments,)
        The segments as drawn, the largest first: places in ``state.segments``.
    row, offset : ndarray of int64, shape (segments,)
        Row of each, and its distance from the start of the row in bytes; in the order of `order`.
    item_segment, item_offset, item_bytes : ndarray of int64, shape (items,)
        Blocks, or runs of several that are too narrow to see: index into `order`, distance from the
        start of the segment, and length up to the end of the last one.
    item_block, item_count : ndarray of int64, shape (items,)
        The first block, an index into ``history.lives``, and the number of blocks.
    """

    length: int
    rows: int
    order: Ints
    row: Ints
    offset: Ints
    item_segment: Ints
    item_offset: Ints
    item_bytes: Ints
    item_block: Ints
    item_count: Ints


def segment_rows(state: AllocatorState, width: int) -> SegmentRows:
    """Return the segments of a state for rows of a number of pixels.

    Parameters
    ----------
    state : AllocatorState
        Segments and blocks at a moment.
    width : int
        Pixels of a row; blocks that are narrower than one are merged with their neighbours.
    """
    size = state.segment_bytes
    order = np.lexsort((np.array([one.address for one in state.segments], np.int64), -size))
    longest = int(size.max(initial=1))
    length = max(longest, int(size.sum()) // _MOST_ROWS)
    row, offset = _packed(size[order].tolist(), length)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    start = np.array([one.address for one in state.segments], np.int64)
    segment = state.segment
    at = state.history.lives.address[state.blocks] - start[segment]
    end = at + state.occupied
    pixel = length / max(width, 1)
    narrow = state.occupied < pixel
    column = np.floor(at / pixel).astype(np.int64)
    merged = np.zeros(len(at), bool)
    merged[1:] = (
        narrow[1:] & narrow[:-1] & (segment[1:] == segment[:-1]) & (column[1:] == column[:-1])
    )
    firsts = np.flatnonzero(~merged)
    lasts = np.append(firsts[1:], len(at))[: len(firsts)] - 1
    return SegmentRows(
        length=length,
        rows=int(row.max(initial=-1)) + 1,
        order=order,
        row=row,
        offset=offset,
        item_segment=place[segment[firsts]],
        item_offset=at[firsts],
        item_bytes=end[lasts] - at[firsts],
        item_block=state.blocks[firsts],
        item_count=lasts - firsts + 1,
    )


def _packed(sizes: list[int], length: int) -> tuple[Ints, Ints]:
    """Return the row and the offset of segments, placed one after the other."""
    gap = int(length * _GAP)
    rows, offsets = [], []
    row, used = 0, 0
    for size in sizes:  # segments, of which there are some thousands at most
        if used and used + size > length:
            row, used = row + 1, 0
        rows.append(row)
        offsets.append(used)
        used += size + gap
    return np.array(rows, np.int64), np.array(offsets, np.int64)
