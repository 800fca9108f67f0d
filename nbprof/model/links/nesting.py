"""Finds the parents, depths and ancestors of slices with vectorised code.

Slices of a thread are taken in the order (start, -end). The parent of a slice is the most recent
earlier slice of its thread that is still open and contains it whole. A slice that starts inside
another and ends after it therefore becomes a child of the deepest open slice that does contain
it; nothing is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = npt.NDArray[np.int64]


def parents(thread: npt.NDArray[np.int32], start: Rows, end: Rows) -> Rows:
    """Return the parent of every slice, -1 at the top; slices are sorted by (thread, start, -end).

    Parameters
    ----------
    thread, start, end : ndarray, shape (rows,)
        Number of the thread; times in nanoseconds.
    """
    parent = np.arange(-1, len(start) - 1, dtype=np.int64)
    for _ in crossings(thread, start, end, parent):
        pass  # it sets the parents as it goes
    return parent


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
