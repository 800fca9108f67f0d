"""Which host slice lies inside which: parent and depth of every row, without a loop over rows.

Slices of a thread are taken in the order (start, -end). The parent of a slice is the most recent
earlier slice of its thread that is still open and contains it whole. A slice that starts inside
another and ends after it therefore becomes a child of the deepest open slice that does contain
it; nothing is dropped, and such overlaps are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

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
    overlaps : int
        Slices that start inside another slice and end after it.
    first_overlap : int
        Row of the first of them, -1 without any.
    """

    parent: Rows
    depth: Rows
    overlaps: int
    first_overlap: int


def nest(thread: npt.NDArray[np.int32], start: Rows, end: Rows) -> Nesting:
    """Nest slices that are sorted by (thread, start, -end).

    Every slice first points at the row before it. As long as that one does not contain the slice,
    the slice moves on to where that row points: all rows in between ended even earlier, so none of
    them can contain it. Rows move all at once and their targets move too, so that runs of siblings
    are crossed in a logarithmic number of rounds.
    """
    count = len(start)
    parent = np.arange(-1, count - 1, dtype=np.int64)
    overlapping = np.zeros(count, bool)
    active = _first_round(thread, start, end, parent, overlapping)
    while len(active):
        candidate = parent[active]
        same = (candidate >= 0) & (thread[candidate] == thread[active])
        parent[active[~same]] = -1
        active, candidate = active[same], candidate[same]
        outside = (end[candidate] < end[active]) | (end[candidate] <= start[active])
        active, candidate = active[outside], candidate[outside]
        overlapping[active[end[candidate] > start[active]]] = True
        parent[active] = parent[candidate]
    first = np.flatnonzero(overlapping)[:1]
    return Nesting(
        parent, depths(parent), int(overlapping.sum()), int(first[0]) if len(first) else -1
    )


def _first_round(
    thread: npt.NDArray[np.int32], start: Rows, end: Rows, parent: Rows, overlapping: Mask
) -> Rows:
    """Try the row before each one, and return the rows that move on.

    The same as every other round, but neighbours need not be looked up.
    """
    before, after = slice(None, -1), slice(1, None)
    same = thread[before] == thread[after]
    outside = same & ((end[before] < end[after]) | (end[before] <= start[after]))
    overlapping[after] = outside & (end[before] > start[after])
    parent[after][~same] = -1
    active = np.flatnonzero(outside) + 1
    parent[active] = parent[active - 1]
    return active


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


def nest_host(model: TraceModel) -> Nesting:
    """Nest the host table of a trace."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    return nest(model.column("host", "thread"), start, end)
