"""Which event is inside which, from the order in which Paddle writes JSON.

Of every thread the events come level by level, each level in the order of time, and behind an event
the calls and the records of memory that belong to it. That tells events apart whose times were
rounded to the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: So many events that ended at the same rounded time may stand between one and its parent.
_NEIGHBOURS = 8


class Tree(NamedTuple):
    """Arrays have shape (events,).

    Attributes
    ----------
    parent : ndarray of int64
        -1 at the top.
    level : ndarray of int64
        0 at the top.
    """

    parent: Rows
    level: Rows


class Sequence(NamedTuple):
    """The order of all beginnings and ends.

    Attributes
    ----------
    begin, end : ndarray of int64, shape (events,)
        Places in it.
    threads : ndarray of int64, shape (threads + 1,)
        Where threads begin in it, and its end.
    """

    begin: Rows
    end: Rows
    threads: Rows

    @property
    def backwards(self) -> Sequence:
        """The same backwards, where events begin with their ends."""
        count = int(self.threads[-1])
        return Sequence(count - 1 - self.end, count - 1 - self.begin, count - self.threads[::-1])


def find_tree(
    thread: npt.NDArray[np.int32], start: Rows, end: Rows, order: Rows, is_call: Mask
) -> Tree | None:
    """Find the tree of the host events of a file; None if they are not in Paddle's order.

    Parameters
    ----------
    thread : ndarray of int32, shape (events,)
        Numbers of threads.
    start, end : ndarray of int64, shape (events,)
        As written.
    order : ndarray of int64, shape (events,)
        Position in the file.
    is_call : ndarray of bool, shape (events,)
        Which events are calls, and not levels of their own.
    """
    parent, level = np.full(len(start), -1, np.int64), np.zeros(len(start), np.int64)
    events = np.flatnonzero(~is_call)
    events = events[np.argsort(order[events], kind="stable")]
    for one in np.unique(thread[events]).tolist():
        rows = events[thread[events] == one]
        first, last = start[rows], end[rows]
        inside = (last[1:] <= last[:-1]) & (first[1:] < last[:-1])
        level[rows[1:]] = np.cumsum(inside | (first[1:] < first[:-1]))
        if not _find_parents(rows, start, end, level, parent):
            return None
    calls = np.flatnonzero(is_call)
    parent[calls] = owners(thread[calls], order[calls], thread[events], order[events], events)
    known = calls[parent[calls] >= 0]
    above = parent[known]
    if ((start[known] < start[above]) | (end[known] > end[above])).any():
        return None
    level[known] = level[above] + 1
    return Tree(parent, level)


def owners(
    thread: npt.NDArray[np.int32],
    order: Rows,
    event_thread: npt.NDArray[np.int32],
    event_order: Rows,
    events: Rows,
) -> Rows:
    """Return the event that each thing in a file stands behind, -1 if it is of another thread."""
    if len(events) == 0:
        return np.full(len(order), -1, np.int64)
    place = np.searchsorted(event_order, order) - 1
    owner = events[np.maximum(place, 0)]
    found: Rows = np.where((place >= 0) & (event_thread[np.maximum(place, 0)] == thread), owner, -1)
    return found


def _find_parents(rows: Rows, start: Rows, end: Rows, level: Rows, parent: Rows) -> bool:
    """Find the parents of a thread's events, in place; return whether all are where they belong."""
    levels = level[rows]
    firsts = np.searchsorted(levels, np.arange(levels[-1] + 2))
    for depth in range(int(levels[-1]) + 1):
        here = rows[firsts[depth] : firsts[depth + 1]]
        if (start[here[1:]] < end[here[:-1]]).any():
            return False
        if depth == 0:
            continue
        above = rows[firsts[depth - 1] : firsts[depth]]
        place = np.searchsorted(start[above], start[here], side="right") - 1
        for _ in range(_NEIGHBOURS):
            outside = (place >= 0) & (end[above[place]] < end[here])
            if not outside.any():
                break
            place -= outside
        if (place < 0).any() or (end[above[place]] < end[here]).any():
            return False
        parent[here] = above[place]
    return True


def sequence_of(tree: Tree, thread: npt.NDArray[np.int32], start: Rows, order: Rows) -> Sequence:
    """Return in what order events begin and end; one thread stands after another."""
    count = len(start)
    size = np.ones(count, np.int64)
    by_level = np.argsort(tree.level, kind="stable")
    deepest = int(tree.level.max(initial=0))
    firsts = np.searchsorted(tree.level[by_level], np.arange(deepest + 2))
    levels = [by_level[firsts[at] : firsts[at + 1]] for at in range(deepest + 1)]
    for rows in levels[:0:-1]:
        np.add.at(size, tree.parent[rows], size[rows])
    before = np.zeros(count, np.int64)
    for depth, rows in enumerate(levels):
        above = tree.parent[rows]
        group = thread[rows].astype(np.int64) if depth == 0 else before[above]
        rows = rows[np.lexsort((order[rows], start[rows], group))]  # noqa: PLW2901 - sorted
        passed = np.cumsum(size[rows]) - size[rows]
        if depth == 0:
            before[rows] = passed
            continue
        above = tree.parent[rows]
        new = np.flatnonzero(np.diff(above, prepend=-1))
        since = np.repeat(passed[new], np.diff(np.append(new, len(rows))))
        before[rows] = before[above] + 1 + passed - since
    begin = 2 * before - tree.level
    counts = np.bincount(thread)
    threads = np.append(0, np.cumsum(2 * counts[counts > 0]))
    return Sequence(begin, begin + 2 * size - 1, threads)
