"""Nesting of host slices: parent and depth of every row, with unclosed Python frames ended.

Python frames of a thread form a stack. A frame that ends after the frame in which it began was
never closed by the recorder. It would remove all later slices of the thread from the modules in
which they ran, so for nesting only, it ends with the frame in which it began
(`nbprof.model.links.unclosed_frames`). A recorded range, in contrast, may outlast the frame that
opened it, as every ``with record_function`` does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import crossings, depths
from nbprof.model.links.unclosed_frames import closed_ends
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.trace_data import TraceData

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Nesting:
    """Parents of slices.

    Attributes
    ----------
    parent : ndarray of int64, shape (rows,)
        Row of the parent, -1 at the top.
    depth : ndarray of int64, shape (rows,)
        0 at the top.
    end : ndarray of int64, shape (rows,)
        End of each slice for nesting, in nanoseconds: as recorded, except for unclosed frames.
    overlaps : int
        Number of slices that start inside another slice and end after it, as recorded. Ranges
        overlap the frames that open them, and frames that close ranges overlap those.
    range_overlaps : int
        Number of these that are recorded ranges and overlap another range.
    first_overlap : int
        Row of the first of these ranges, -1 without any.
    unclosed : int
        Number of frames that the recorder did not close.
    first_unclosed : int
        Row of the first of them, -1 without any.
    """

    parent: Rows
    depth: Rows
    end: Rows
    overlaps: int
    range_overlaps: int
    first_overlap: int
    unclosed: int
    first_unclosed: int


def nest(
    thread: npt.NDArray[np.int32],
    start: Rows,
    end: Rows,
    is_frame: Mask | None = None,
    is_range: Mask | None = None,
) -> Nesting:
    """Nest slices that are sorted by (thread, start, -end).

    Parameters
    ----------
    thread : ndarray of int32, shape (rows,)
        Number of the thread.
    start, end : ndarray of int64, shape (rows,)
        Times as recorded, in nanoseconds.
    is_frame : ndarray of bool, shape (rows,), optional
        Which slices are Python frames or modules; without it none are.
    is_range : ndarray of bool, shape (rows,), optional
        Which slices are operators, annotations or steps; by default all that are not frames.
    """
    found = _Crossings.of(thread, start, end, is_frame)
    unclosed = np.empty(0, np.int64)
    if is_frame is not None and found.frames_cross:
        recorded = end
        end = closed_ends(thread, start, end, is_frame, ~is_frame if is_range is None else is_range)
        unclosed = np.flatnonzero(end < recorded)
        found = _Crossings.of(thread, start, end, is_frame, in_order=True)
        found.overlapping[unclosed] = True
    first = np.flatnonzero(found.ranges)
    return Nesting(
        found.parent,
        depths(found.parent),
        end,
        overlaps=int(found.overlapping.sum()),
        range_overlaps=len(first),
        first_overlap=int(first[0]) if len(first) else -1,
        unclosed=len(unclosed),
        first_unclosed=int(unclosed[0]) if len(unclosed) else -1,
    )


@dataclass
class _Crossings:
    """Parents of slices, slices that overlap others, and ranges that overlap other ranges."""

    parent: Rows
    overlapping: Mask
    ranges: Mask
    frames_cross: bool = False

    @classmethod
    def of(
        cls,
        thread: npt.NDArray[np.int32],
        start: Rows,
        end: Rows,
        is_frame: Mask | None,
        *,
        in_order: bool = False,
    ) -> _Crossings:
        """Nest slices; stop where frames cross, unless all are known to be `in_order`.

        A frame that overlaps another frame is found here even if a range hides the overlapped one,
        since the only frames hidden this way are those that opened the range.
        """
        count = len(start)
        overlapping = np.zeros(count, bool)
        ranges = overlapping if is_frame is None else np.zeros(count, bool)
        found = cls(np.arange(-1, count - 1, dtype=np.int64), overlapping, ranges)
        for rows, others in crossings(thread, start, end, found.parent):
            overlapping[rows] = True
            if is_frame is None:
                continue
            frame, other = is_frame[rows], is_frame[others]
            ranges[rows[~(frame | other)]] = True
            if not in_order and (frame & other).any():
                found.frames_cross = True
                break
        return found


def nest_host(model: TraceData) -> Nesting:
    """Nest the host table of a trace.

    The recorder's own work nests with nothing, since the file does not say on which thread it ran.
    """
    start, kind = model.column("host", "start_ns"), model.column("host", "kind")
    end = start + model.column("host", "duration_ns")
    is_frame = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    is_range = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION) | (kind == kinds.STEP)
    thread = model.column("host", "thread")
    nests = np.flatnonzero(kind != kinds.OVERHEAD)
    if len(nests) == len(kind):
        return nest(thread, start, end, is_frame, is_range)
    return _spread(
        nest(thread[nests], start[nests], end[nests], is_frame[nests], is_range[nests]), nests, end
    )


def _spread(found: Nesting, nests: Rows, end: Rows) -> Nesting:
    """Return the nesting of all rows from that of those that nest; the others stand alone."""
    rows = np.append(nests, -1)
    parent, depth, ends = np.full(len(end), -1, np.int64), np.zeros(len(end), np.int64), end.copy()
    parent[nests], depth[nests], ends[nests] = rows[found.parent], found.depth, found.end
    return replace(
        found,
        parent=parent,
        depth=depth,
        end=ends,
        first_overlap=int(rows[found.first_overlap]),
        first_unclosed=int(rows[found.first_unclosed]),
    )


def nesting_of(model: TraceData) -> Nesting:
    """Return the nesting of the host table, which is computed once for each trace."""
    return model.as_read.cached("nesting", lambda: nest_host(model.as_read))
