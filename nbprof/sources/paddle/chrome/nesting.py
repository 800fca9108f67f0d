"""Finds the parents of events from the order in which Paddle writes them to JSON.

The events of each thread are written level by level, each level in time order, and each event is
followed by its calls and memory records. This order distinguishes events whose times were rounded
to the same value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import depths
from nbprof.sources.paddle.chrome.rounded_nesting import nest_rounded

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Maximum number of events with the same rounded end between an event and its parent.
_NEIGHBOURS = 8


@dataclass(frozen=True)
class Written:
    """Positions of the host events in a file; arrays have shape (events,).

    Attributes
    ----------
    thread : ndarray of int32
        Numbers of threads.
    order : ndarray of int64
        Position in the file.
    is_call : ndarray of bool
        Which are calls, which do not form levels.
    """

    thread: npt.NDArray[np.int32]
    order: Rows
    is_call: Mask

    @cached_property
    def events(self) -> Rows:
        """The events that are not calls, in the order of the file."""
        events = np.flatnonzero(~self.is_call)
        return events[np.argsort(self.order[events], kind="stable")]


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
    """The order of all starts and ends.

    Attributes
    ----------
    begin, end : ndarray of int64, shape (events,)
        Places in it.
    threads : ndarray of int64, shape (threads + 1,)
        Offsets of the threads in it, and its length.
    """

    begin: Rows
    end: Rows
    threads: Rows

    @property
    def backwards(self) -> Sequence:
        """The reversed sequence, in which events start with their ends."""
        count = int(self.threads[-1])
        return Sequence(count - 1 - self.end, count - 1 - self.begin, count - self.threads[::-1])


def find_tree(written: Written, start: Rows, end: Rows) -> Tree | None:
    """Find the tree of the host events of a file; None if they are not in Paddle's order.

    Parameters
    ----------
    written : Written
        Positions of the events.
    start, end : ndarray of int64, shape (events,)
        As written.
    """
    thread, events = written.thread, written.events
    parent, level = np.full(len(start), -1, np.int64), np.zeros(len(start), np.int64)
    for one in np.unique(thread[events]).tolist():
        rows = events[thread[events] == one]
        first, last = start[rows], end[rows]
        inside = (last[1:] <= last[:-1]) & (first[1:] < last[:-1])
        level[rows[1:]] = np.cumsum(inside | (first[1:] < first[:-1]))
        if not _find_parents(rows, start, end, level, parent):
            return None
    known = _attach_calls(written, Tree(parent, level))
    above = parent[known]
    if ((start[known] < start[above]) | (end[known] > end[above])).any():
        return None
    return Tree(parent, level)


def follow_tree(written: Written, start: Rows, length: Rows, off: int) -> tuple[Tree, Rows] | None:
    """Find the tree by durations, if starts are inexact; also return consistent starts.

    Parameters
    ----------
    written : Written
        Positions of the events.
    start, length : ndarray of int64, shape (events,)
        Approximate starts, and durations.
    off : int
        Maximum error of starts in nanoseconds.
    """
    thread, events = written.thread, written.events
    parent, level = np.full(len(start), -1, np.int64), np.zeros(len(start), np.int64)
    moved = start.copy()
    for one in np.unique(thread[events]).tolist():
        rows = events[thread[events] == one]
        found = nest_rounded(start[rows], length[rows], off)
        if found is None:
            return None
        moved[rows] = found.start
        parent[rows] = np.where(found.parent >= 0, rows[found.parent], -1)
    level[:] = depths(parent)
    _attach_calls(written, Tree(parent, level))
    return Tree(parent, level), moved


def _attach_calls(written: Written, tree: Tree) -> Rows:
    """Attach calls to the events that they follow, in place; return the attached calls."""
    calls = np.flatnonzero(written.is_call)
    tree.parent[calls] = owners(written, written.thread[calls], written.order[calls])
    known: Rows = calls[tree.parent[calls] >= 0]
    tree.level[known] = tree.level[tree.parent[known]] + 1
    return known


def owners(written: Written, thread: npt.NDArray[np.int32], order: Rows) -> Rows:
    """Return the event that each entry follows in the file, -1 if it is on another thread."""
    events = written.events
    if len(events) == 0:
        return np.full(len(order), -1, np.int64)
    place = np.searchsorted(written.order[events], order) - 1
    owner = events[np.maximum(place, 0)]
    owner_row: Rows = np.where((place >= 0) & (written.thread[owner] == thread), owner, -1)
    return owner_row


def _find_parents(rows: Rows, start: Rows, end: Rows, level: Rows, parent: Rows) -> bool:
    """Find the parents of a thread's events, in place; return whether all fit the order."""
    levels = level[rows]
    first_of_level = np.searchsorted(levels, np.arange(levels[-1] + 2))
    for depth in range(int(levels[-1]) + 1):
        here = rows[first_of_level[depth] : first_of_level[depth + 1]]
        if (start[here[1:]] < end[here[:-1]]).any():
            return False
        if depth == 0:
            continue
        above = rows[first_of_level[depth - 1] : first_of_level[depth]]
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


def sequence_of(written: Written, tree: Tree, start: Rows) -> Sequence:
    """Return the order in which events start and end, thread by thread."""
    thread, order = written.thread, written.order
    count = len(start)
    size = np.ones(count, np.int64)
    by_level = np.argsort(tree.level, kind="stable")
    deepest = int(tree.level.max(initial=0))
    first_of_level = np.searchsorted(tree.level[by_level], np.arange(deepest + 2))
    levels = [by_level[first_of_level[at] : first_of_level[at + 1]] for at in range(deepest + 1)]
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
