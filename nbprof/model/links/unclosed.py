"""When Python frames end that the recorder did not close.

Frames of a thread form a stack: none can outlast the frame in which it began. A recorder that
misses the return of a function lets its frame go on, often to the end of the recording. Such a
frame is *unclosed*. It ends here with the frame in which it began, or already with the range in
which it began, so that what the range goes on to launch stays its own.

A frame is unclosed if it outlasts, by more than two units of the file's resolution, a frame inside
which it began, unless all that it outlasts are the *gates* of ranges: the frames that open a range,
which outlasts them, or close one, which they outlast. Which frame is inside which depends on when
the earlier ones end, so that frames are settled from the first one on. Most do not depend on each
other: these are settled all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import crossings, first_rows_from, nest

if TYPE_CHECKING:
    from collections.abc import Callable

Threads = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: No recorder writes whole microseconds of which none is odd: beyond this a coarser unit is chance.
_COARSEST_NS: Final = 1000

#: Times that are looked at together: mostly the first few tell that the unit is a nanosecond.
_FEW: Final = 4096

#: By how many units a frame may outlast another one: start and duration are rounded apart.
_ROUNDED: Final = 2

#: Frames that depend on one another take a round each. Where they are more than this, such as
#: those of coroutines that take turns, going through frames one after another is faster.
_ROUNDS: Final = 16


def closed_ends(thread: Threads, start: Rows, end: Rows, is_frame: Mask, is_range: Mask) -> Rows:
    """Return when slices end, with all frames closed.

    Parameters
    ----------
    thread : ndarray of int32, shape (rows,)
        Rows are sorted by (thread, start, -end).
    start, end : ndarray of int64, shape (rows,)
        As recorded, in nanoseconds.
    is_frame, is_range : ndarray of bool, shape (rows,)
        Which slices are Python frames or modules, and which operators, annotations or steps.

    Returns
    -------
    ndarray of int64, shape (rows,)
        That of an unclosed frame is the end of the frame, or range, in which it began.
    """
    margin = _ROUNDED * max(resolution_ns(start), resolution_ns(end - start))
    rows = np.flatnonzero(is_frame)
    ranges = np.flatnonzero(is_range)
    above = nest(thread[ranges], start[ranges], end[ranges]).parent
    gates = _Gates(thread, start, end, ranges, above, rows, margin)
    frames = _Frames(thread[rows], start[rows], end[rows], margin, gates.among)
    closed = frames.closed()
    unclosed = np.flatnonzero(closed < frames.end)
    found = end.copy()
    found[rows[unclosed]] = np.minimum(closed[unclosed], gates.ends_around(unclosed))
    return found


def resolution_ns(times: Rows) -> int:
    """Return the unit that times are written in: the largest that divides all, up to 1 µs.

    Parameters
    ----------
    times : ndarray of int64, shape (n,)
        Starts since the first event of the file, or durations, in nanoseconds.
    """
    unit = int(np.gcd.reduce(times[:_FEW], initial=_COARSEST_NS))
    while unit > 1:
        rest = times % unit
        odd = int(np.argmax(rest != 0)) if len(rest) else 0
        if not len(rest) or rest[odd] == 0:
            break
        unit = int(np.gcd(unit, rest[odd]))
    return unit


@dataclass(frozen=True)
class _Gates:
    """Tells which frames open or close a range.

    Attributes
    ----------
    thread, start, end : ndarray, shape (rows,)
        All slices.
    ranges : ndarray of int64, shape (ranges,)
        Rows of the ranges.
    above : ndarray of int64, shape (ranges,)
        Index of the range round each one, -1 at the top.
    frames : ndarray of int64, shape (frames,)
        Rows of the frames.
    margin : int
        How much later an end has to be to be later, in nanoseconds.
    """

    thread: Threads
    start: Rows
    end: Rows
    ranges: Rows
    above: Rows
    frames: Rows
    margin: int

    def among(self, indices: Rows) -> Mask:
        """Return which of some frames, by index, open or close a range."""
        frame = self.frames[indices]
        until = self.end[frame]
        # The innermost range that goes on when the frame is over: did it begin in the frame?
        last = (
            np.searchsorted(self.ranges, first_rows_from(self.thread, self.start, frame, until)) - 1
        )
        opened = self._open_at(last, frame, until + self.margin)
        opens = (opened >= 0) & (self.ranges[opened] > frame) if len(self.ranges) else opened >= 0
        # The innermost range that goes on when the frame begins: does the frame outlast it?
        around = self._around(frame)
        closes = around >= 0
        closes[closes] = self.end[self.ranges[around[closes]]] + self.margin < until[closes]
        found: Mask = opens | closes
        return found

    def ends_around(self, indices: Rows) -> Rows:
        """Return when the innermost range ends in which each of some frames began, if there is."""
        around = self._around(self.frames[indices])
        ends = np.full(len(indices), np.iinfo(np.int64).max)
        ends[around >= 0] = self.end[self.ranges[around[around >= 0]]]
        return ends

    def _around(self, frame: Rows) -> Rows:
        """Return the innermost range in which each of some rows began, -1 without one."""
        last = np.searchsorted(self.ranges, frame) - 1
        return self._open_at(last, frame, self.start[frame])

    def _open_at(self, index: Rows, frame: Rows, time: Rows) -> Rows:
        """Return the range that ends after a time: the one given, else the next one out, or -1."""
        index = index.copy()
        index[index >= 0] = np.where(
            self.thread[self.ranges[index[index >= 0]]] == self.thread[frame[index >= 0]],
            index[index >= 0],
            -1,
        )
        moving = np.flatnonzero(index >= 0)
        while len(moving):
            moving = moving[self.end[self.ranges[index[moving]]] <= time[moving]]
            index[moving] = self.above[index[moving]]
            moving = moving[index[moving] >= 0]
        return index


@dataclass
class _Frames:
    """The frames alone, and which of them open or close a range (by index)."""

    thread: Threads
    start: Rows
    end: Rows
    margin: int
    are_gates: Callable[[Rows], Mask]

    def closed(self) -> Rows:
        """Return when the frames end."""
        end = self.end.copy()
        for _ in range(_ROUNDS):
            late, inner = self._late(end)
            if not len(late):
                return end
            self._settle(end, late, end[inner], inner)
        late, _ = self._late(end)
        for thread in np.unique(self.thread[late]).tolist():
            first, last = np.searchsorted(self.thread, [thread, thread + 1])
            end[first:last] = self._one_by_one(int(first), int(last))
        return end

    def _late(self, end: Rows) -> tuple[Rows, Rows]:
        """Return the frames that are unclosed for all that is known, and those they began in."""
        count = len(end)
        inner = np.full(count, -1, np.int64)
        is_late = np.zeros(count, bool)
        parent = np.arange(-1, count - 1, dtype=np.int64)
        for rows, others in crossings(self.thread, self.start, end, parent):
            fresh = inner[rows] < 0
            inner[rows[fresh]] = others[fresh]
            later = np.flatnonzero(end[others] + self.margin < end[rows])
            later = later[self._ordinary(end, others[later])]
            is_late[rows[later]] = True
        late = np.flatnonzero(is_late)
        return late, inner[late]

    def _ordinary(self, end: Rows, frames: Rows) -> Mask:
        """Return which frames are no gates; those that were not closed are none."""
        distinct, number = np.unique(frames, return_inverse=True)
        ordinary: Mask = (~self.are_gates(distinct) | (end[distinct] < self.end[distinct]))[number]
        return ordinary

    def _settle(self, end: Rows, late: Rows, bound: Rows, inner: Rows) -> None:
        """Close those late frames, at most by their bounds, whose inner frames are settled."""
        stop = first_rows_from(self.thread, self.start, late, bound)
        # A late frame changes what begins before it has to end: up to `stop`.
        before = np.searchsorted(late, inner, side="right") - 1
        reach = np.maximum.accumulate(stop)[np.maximum(before, 0)]
        settled = (before < 0) | (reach <= inner)
        late, bound, stop = late[settled], bound[settled], stop[settled]
        count = stop - late
        inside = np.repeat(late - np.cumsum(count) + count, count) + np.arange(count.sum())
        limit = np.repeat(bound, count)
        # What began in the frame, and goes on after it, was not closed either.
        too_long = end[inside] > limit + self.margin
        too_long[np.cumsum(count) - count] = True
        end[inside[too_long]] = limit[too_long]

    def _one_by_one(self, first: int, last: int) -> list[int]:
        """Return when the frames of a thread end, by its rows."""
        gate = self.are_gates(np.arange(first, last)).tolist()
        ends: list[int] = []
        around: list[int] = []  # frames that may be open, the innermost last
        rows = zip(self.start[first:last].tolist(), self.end[first:last].tolist(), strict=True)
        for row, (begin, end) in enumerate(rows):
            while around and ends[around[-1]] <= begin:
                around.pop()
            late = False
            for one in reversed(around):
                if late or ends[one] >= end:  # what contains it lies in all that is round that
                    break
                late = ends[one] > begin and ends[one] + self.margin < end and not gate[one]
            if late:
                gate[row] = False
            ends.append(ends[around[-1]] if late else end)
            around.append(row)
        return ends
