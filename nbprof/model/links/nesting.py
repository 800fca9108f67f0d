"""Finds the parents, depths and ancestors of slices with vectorised code.

Slices of a thread are taken in the order (start, -end). The parent of a slice is the most recent
earlier slice of its thread that is still open and contains it whole. A slice that starts inside
another and ends after it therefore becomes a child of the deepest open slice that does contain
it; nothing is dropped.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.lookup import rows_of_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Rows = npt.NDArray[np.int64]

#: Rows processed at once, which with their lookups take 2 MB.
BLOCK: Final = 1 << 15
_PIECE: Final = 1 << 9
#: So few rows are moved one by one: an operation on arrays takes longer.
_FEW: Final = 8


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
    """Set the parents of slices, and yield the pairs of crossing slices found on the way.

    Every slice first points at the row before it. As long as that one does not contain the slice,
    the slice moves on to where that row points: all rows in between ended even earlier, so none of
    them can contain it. Rows move all at once and their targets move too, so that runs of siblings
    are crossed in a logarithmic number of rounds. Rows are taken in blocks that fit into the cache,
    where nothing is open from one block to the next.

    Parameters
    ----------
    thread, start, end : ndarray, shape (rows,)
        Sorted by thread and start. Slices with equal starts may be in any order.
    parent : ndarray of int64, shape (rows,)
        The row before each one; after the last round its parent.

    Yields
    ------
    rows, others : ndarray of int64, shape (n,)
        Slices, and for each an earlier one that is open when it starts and ends before it does.
        The first one yielded for a slice is the innermost.
    """
    for block in _blocks(len(start), lambda: _block_starts(thread, start, end)):
        own = np.arange(-1, len(start[block]) - 1, dtype=np.int64)
        for rows, others in _crossings_of_block(thread[block], start[block], end[block], own):
            yield rows + block.start, others + block.start
        parent[block] = np.where(own >= 0, own + block.start, -1)


def _crossings_of_block(
    thread: npt.NDArray[np.int32], start: Rows, end: Rows, parent: Rows
) -> Iterator[tuple[Rows, Rows]]:
    """Process the rows of a block as `crossings` describes."""
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
    while len(active) > _FEW:
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
    for pairs in _crossings_of_few(thread, start, end, parent, active.tolist()):
        found = np.array(pairs, np.int64)
        yield found[:, 0], found[:, 1]


def _crossings_of_few(
    thread: npt.NDArray[np.int32], start: Rows, end: Rows, parent: Rows, active: list[int]
) -> Iterator[list[tuple[int, int]]]:
    """Go on with few rows, which in stacks that are deep may be so for thousands of rounds."""
    found = []
    while active:
        moving = []
        for row in active:
            candidate = parent.item(row)
            if candidate < 0 or thread.item(candidate) != thread.item(row):
                parent[row] = -1
                continue
            until, begins = end.item(candidate), start.item(row)
            if until < end.item(row) or until <= begins:
                moving.append((row, candidate))
                if until > begins:
                    found.append((row, candidate))
        onward = [parent.item(candidate) for _, candidate in moving]
        active = [row for row, _ in moving]
        for row, target in zip(active, onward, strict=True):
            parent[row] = target
        if len(found) >= BLOCK:
            yield found
            found = []
    if found:
        yield found


def depths(parent: Rows) -> Rows:
    """Return the number of ancestors of every row, by pointer doubling."""
    depth = (parent >= 0).astype(np.int64)
    for block in _blocks(len(parent), lambda: _tree_starts(parent)):
        own, above = depth[block], parent[block] - block.start  # at the top: below 0 still
        moving = np.flatnonzero(above >= 0)
        while len(moving):
            target = above[moving]
            gain, onward = own[target], above[target]
            own[moving] += gain
            above[moving] = onward
            moving = moving[onward >= 0]
    return depth


def nearest_ancestor(parent: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    """Return for every row its nearest ancestor among the wanted rows, -1 without one."""
    if not wanted.any():
        return np.full(len(parent), -1, np.int64)
    found = np.empty(len(parent), np.int64)
    for block in _blocks(len(parent), lambda: _tree_starts(parent)):
        ancestor, here = parent[block] - block.start, wanted[block]
        moving = np.flatnonzero(ancestor >= 0)
        while len(moving):
            moving = moving[~here[ancestor[moving]]]
            onward = ancestor[ancestor[moving]]
            ancestor[moving] = onward
            moving = moving[onward >= 0]
        found[block] = np.where(ancestor >= 0, ancestor + block.start, -1)
    return found


def _blocks(count: int, cuts: Callable[[], Rows]) -> list[slice]:
    """Return the rows in blocks of about `BLOCK`, or more where there is no cut between rows."""
    if count <= BLOCK:
        return [slice(0, count)]
    known = np.append(cuts(), count)
    bounds = np.unique(known[np.searchsorted(known, np.arange(0, count, BLOCK))]).tolist()
    return [slice(a, b) for a, b in pairwise([*bounds, count]) if a < b]


def _block_starts(thread: npt.NDArray[np.int32], start: Rows, end: Rows) -> Rows:
    """Return the rows at whose start no earlier slice of their thread is open, row 0 included."""
    heads = np.flatnonzero(np.append(True, thread[1:] != thread[:-1]))
    found = [heads]
    for first, last in pairwise([*heads.tolist(), len(thread)]):
        if last - first > BLOCK:  # shorter threads are blocks already
            reach = np.maximum.accumulate(end[first : last - 1])
            found.append(first + 1 + np.flatnonzero(start[first + 1 : last] >= reach))
    return np.sort(np.concatenate(found))


def _tree_starts(parent: Rows) -> Rows:
    """Return the first row of every `BLOCK` that no link from child to parent crosses, if any.

    Parents come before their children, or behind them where rows are sorted otherwise.
    """
    starts = np.arange(0, len(parent), BLOCK)
    # No parent is the largest unsigned number, hence above all rows.
    above = parent.view(np.uint64)
    least = np.append(np.minimum.reduceat(above, starts), np.uint64(len(parent)))
    after = np.minimum.accumulate(least[::-1])[::-1].tolist()
    before = np.maximum.accumulate(np.append(-1, np.maximum.reduceat(parent, starts))).tolist()
    found = []
    for number, first in enumerate(starts.tolist()):
        last, most = min(first + BLOCK, len(parent)), before[number]
        # Most blocks have such a row near their start.
        for at in range(first, last, _PIECE):
            piece = slice(at, min(at + _PIECE, last))
            rest = above[piece.stop : last].min(initial=after[number + 1])
            lowest = np.minimum.accumulate(np.append(above[piece], rest)[::-1])[:0:-1]
            highest = np.maximum.accumulate(np.append(most, parent[piece]))
            rows = np.arange(at, piece.stop)
            cuts = np.flatnonzero((lowest >= rows.astype(np.uint64)) & (highest[:-1] < rows))
            if len(cuts):
                found.append(at + int(cuts[0]))
                break
            most = int(highest[-1])
    return np.array(found, np.int64)


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
        The row after the last one of the thread if nothing starts that late.
    """
    found = np.empty(len(rows), np.int64)
    for one, here in rows_of_values(thread[rows]).items():
        first, last = np.searchsorted(thread, [one, one + 1])
        found[here] = first + np.searchsorted(start[first:last], times[here])
    return found
