"""Which host slice lies inside which: parent and depth of every row, without a loop over rows.

Slices of a thread are taken in the order (start, -end). The parent of a slice is the most recent
earlier slice of its thread that is still open and contains it whole. A slice that starts inside
another and ends after it therefore becomes a child of the deepest open slice that does contain
it; nothing is dropped.

Python frames of a thread form a stack. A frame that ends after one inside which it began was never
closed by the recorder, and would take all later slices of the thread out of the modules they ran
in: it ends, for nesting alone, with the frame in which it began (`nbprof.model.links.unclosed`).
A recorded range may well outlast the frame that opened it, as every `with record_function` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

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
        When each slice ends for nesting, in nanoseconds: as recorded, but for unclosed frames.
    overlaps : int
        Slices that start inside another slice and end after it, as recorded. Ranges do so with the
        frames that open them, and the frames that close them with ranges.
    range_overlaps : int
        Those that are recorded ranges and do so with another range.
    first_overlap : int
        Row of the first of these ranges, -1 without any.
    unclosed : int
        Frames that the recorder did not close.
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
        As recorded, in nanoseconds.
    is_frame : ndarray of bool, shape (rows,), optional
        Which slices are Python frames or modules; without it none are.
    is_range : ndarray of bool, shape (rows,), optional
        Which slices are operators, annotations or steps; without it all that are no frames.
    """
    found = _Found.of(thread, start, end, is_frame)
    unclosed = np.empty(0, np.int64)
    if is_frame is not None and found.frames_cross:
        from nbprof.model.links.unclosed import closed_ends

        recorded = end
        end = closed_ends(thread, start, end, is_frame, ~is_frame if is_range is None else is_range)
        unclosed = np.flatnonzero(end < recorded)
        found = _Found.of(thread, start, end, is_frame, in_order=True)
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
class _Found:
    """Parents of slices, which overlap others, and which ranges overlap other ranges."""

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
    ) -> _Found:
        """Nest slices; stop where frames cross, unless all are known to be `in_order`.

        A frame that overlaps another one is met here even where a range hides what it overlaps:
        frames that are hidden so are those that opened the range.
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


def crossings(
    thread: npt.NDArray[np.int32], start: Rows, end: Rows, parent: Rows
) -> Iterator[tuple[Rows, Rows]]:
    """Set the parents of slices, and yield the slices that cross others on the way there.

    Every slice first points at the row before it. As long as that one does not contain the slice,
    the slice moves on to where that row points: all rows in between ended even earlier, so none of
    them can contain it. Rows move all at once and their targets move too, so that runs of siblings
    are crossed in a logarithmic number of rounds.

    Parameters
    ----------
    thread, start, end : ndarray, shape (rows,)
        Sorted by thread and start. What ends later need not come first of those that start at once.
    parent : ndarray of int64, shape (rows,)
        The row before each one; after the last round its parent.

    Yields
    ------
    rows, others : ndarray of int64, shape (n,)
        Slices, and for each an earlier one that is open when it starts and ends before it does.
        What comes first for a slice is the innermost of these.
    """
    before, after = slice(None, -1), slice(1, None)
    same = thread[before] == thread[after]
    # The first round is the same as every other one, but neighbours need not be looked up.
    outside = same & ((end[before] < end[after]) | (end[before] <= start[after]))
    crossing = np.flatnonzero(outside & (end[before] > start[after])) + 1
    if len(crossing):
        yield crossing, crossing - 1
    parent[after][~same] = -1
    active = np.flatnonzero(outside) + 1
    parent[active] = parent[active - 1]
    while len(active):
        candidate = parent[active]
        same = (candidate >= 0) & (thread[candidate] == thread[active])
        parent[active[~same]] = -1
        active, candidate = active[same], candidate[same]
        outside = (end[candidate] < end[active]) | (end[candidate] <= start[active])
        active, candidate = active[outside], candidate[outside]
        is_open = end[candidate] > start[active]
        if is_open.any():
            yield active[is_open], candidate[is_open]
        parent[active] = parent[candidate]


def depths(parent: Rows) -> Rows:
    """Return the number of ancestors of every row, by pointer doubling."""
    depth = (parent >= 0).astype(np.int64)
    above = parent.copy()
    moving = np.flatnonzero(above >= 0)
    while len(moving):
        target = above[moving]
        gain, onward = depth[target], above[target]
        depth[moving] += gain
        above[moving] = onward
        moving = moving[onward >= 0]
    return depth


def nearest_ancestor(parent: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    """Return for every row its nearest ancestor among the wanted rows, -1 without one."""
    ancestor: Rows = parent.copy()
    moving = np.flatnonzero(ancestor >= 0)
    while len(moving):
        moving = moving[~wanted[ancestor[moving]]]
        onward = ancestor[ancestor[moving]]
        ancestor[moving] = onward
        moving = moving[onward >= 0]
    return ancestor


def first_rows_from(thread: npt.NDArray[np.int32], start: Rows, rows: Rows, times: Rows) -> Rows:
    """Return the first row on the thread of each row that starts at a time or later.

    Parameters
    ----------
    thread, start : ndarray, shape (all rows,)
        All rows, sorted by thread and start.
    rows : ndarray of int64, shape (n,)
        Some of them.
    times : ndarray of int64, shape (n,)
        In nanoseconds.

    Returns
    -------
    ndarray of int64, shape (n,)
        Where nothing starts so late, the row after the last one of the thread.
    """
    found = np.empty(len(rows), np.int64)
    of = thread[rows]
    for one in np.unique(of).tolist():
        first, last = np.searchsorted(thread, [one, one + 1])
        here = of == one
        found[here] = first + np.searchsorted(start[first:last], times[here])
    return found


def nest_host(model: TraceModel) -> Nesting:
    """Nest the host table of a trace."""
    start, kind = model.column("host", "start_ns"), model.column("host", "kind")
    end = start + model.column("host", "duration_ns")
    is_frame = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    is_range = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION) | (kind == kinds.STEP)
    return nest(model.column("host", "thread"), start, end, is_frame, is_range)
