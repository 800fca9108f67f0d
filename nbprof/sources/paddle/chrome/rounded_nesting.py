"""Finds the parents of events whose times have rounding errors longer than their durations.

Paddle writes the events of a thread level by level: first those at the top, then the children of
the first, the children of the second, and so on. So the parent of an event is the parent of the
previous event, or a later event in the file: the first one with room for it at about its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]

#: Number of following events to check if one almost fits.
_AHEAD = 64

_BEGINNING = -(1 << 62)


class RoundedNesting(NamedTuple):
    """Arrays of shape (events,).

    Attributes
    ----------
    parent : ndarray of int64
        -1 at the top.
    start : ndarray of int64
        Moved so that no event starts before its predecessor has ended.
    """

    parent: Times
    start: Times


def nest_rounded(start: Times, length: Times, off: int) -> RoundedNesting | None:
    """Find the parents of the events of one thread.

    Parameters
    ----------
    start, length : ndarray of int64, shape (events,)
        In the order of the file; starts are approximate, durations exact.
    off : int
        Nanoseconds by which starts may be wrong.

    Returns
    -------
    RoundedNesting or None
        None if the events are in another order.
    """
    chain = _Chain(start.tolist(), length.tolist(), off)
    if not all(chain.add(at) for at in range(len(start))):
        return None
    return RoundedNesting(np.array(chain.parents, np.int64), np.array(chain.starts, np.int64))


class _Chain:
    """Events with known parents, and the parent of the last one."""

    def __init__(self, starts: list[int], lengths: list[int], off: int) -> None:
        self.starts = starts
        self.parents: list[int] = []
        self._lengths = lengths
        self._ends = starts.copy()
        self._room = lengths.copy()
        self._off = off
        self._parent = -1
        self._free = _BEGINNING  # end of its last child

    def add(self, at: int) -> bool:
        """Find the parent of the next event; return whether one exists."""
        begin, lasts = self.starts[at], self._lengths[at]
        while (over := self._over(begin, lasts)) > self._off:
            if self._parent + 1 >= at:
                return False
            self._go_to(self._parent + 1)
        if over > 0:
            ahead = range(self._parent + 1, min(at, self._parent + _AHEAD))
            better = next((one for one in ahead if self._has(one, begin, lasts)), None)
            if better is not None:
                self._go_to(better)
        moved = max(begin, self._free)
        if self._parent >= 0:
            moved = max(min(moved, self._ends[self._parent] - lasts), self._free)
            self._room[self._parent] -= lasts
        self.parents.append(self._parent)
        self.starts[at], self._ends[at], self._free = moved, moved + lasts, moved + lasts
        return True

    def _go_to(self, parent: int) -> None:
        self._parent, self._free = parent, self.starts[parent]

    def _over(self, begin: int, lasts: int) -> int:
        """Return by how much an event exceeds the parent, or starts too early in it."""
        if self._parent < 0:
            return self._free - begin
        if lasts > self._room[self._parent]:
            return self._off + 1
        return max(self._free - begin, begin + lasts - self._ends[self._parent])

    def _has(self, one: int, begin: int, lasts: int) -> bool:
        """Whether an event is inside another and fits there."""
        inside = self.starts[one] <= begin and begin + lasts <= self._ends[one]
        return inside and lasts <= self._room[one]
