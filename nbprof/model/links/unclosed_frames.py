"""Finds the ends of Python frames that the recorder did not close.

Frames of a thread form a stack: none can outlast the frame in which it began. If a recorder misses
the return of a function, its frame continues, often to the end of the recording. Such a frame is
*unclosed*. Here it ends with the frame or the range in which it began, whichever ends first, so
that later launches of the range remain attributed to the range.

A frame is unclosed if it outlasts, by more than two units of the file's resolution, a frame inside
which it began, unless it outlasts only the *gates* of ranges: frames that open a range that
outlasts them, or that close a range and outlast it. Whether a frame is inside another one depends
on when earlier frames end, so the frames of a thread are settled one by one; threads on which no
frame outlasts another are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import crossings, first_rows_from, parents

if TYPE_CHECKING:
    from collections.abc import Callable

Threads = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The coarsest unit that recorders write; a coarser common divisor is chance.
_COARSEST_NS: Final = 1000

#: Times examined at a time: usually the first few show that the unit is a nanosecond.
_FEW: Final = 4096

#: Units by which a frame may outlast another one, since start and duration are rounded separately.
_ROUNDED: Final = 2


def closed_ends(thread: Threads, start: Rows, end: Rows, is_frame: Mask, is_range: Mask) -> Rows:
    """Return the ends of slices, with all frames closed.

    Parameters
    ----------
    thread : ndarray of int32, shape (rows,)
        Rows are sorted by (thread, start, -end).
    start, end : ndarray of int64, shape (rows,)
        As recorded, in nanoseconds.
    is_frame, is_range : ndarray of bool, shape (rows,)
        Which slices are Python frames or modules, and which are operators, annotations or steps.

    Returns
    -------
    ndarray of int64, shape (rows,)
        Ends in nanoseconds. An unclosed frame ends with the frame or range in which it began.
    """
    margin = _ROUNDED * max(resolution_ns(start), resolution_ns(end - start))
    rows = np.flatnonzero(is_frame)
    ranges = np.flatnonzero(is_range)
    above = parents(thread[ranges], start[ranges], end[ranges])
    gates = _Gates(thread, start, end, ranges, above, rows, margin)
    frames = _Frames(thread[rows], start[rows], end[rows], margin, gates.among)
    closed = frames.closed()
    unclosed = np.flatnonzero(closed < frames.end)
    ends = end.copy()
    ends[rows[unclosed]] = np.minimum(closed[unclosed], gates.ends_around(unclosed))
    return ends


def resolution_ns(times: Rows) -> int:
    """Return the unit of recorded times: the largest one up to 1 µs that divides all of them.

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
    """Finds the frames that open or close a range.

    Attributes
    ----------
    thread, start, end : ndarray, shape (rows,)
        All slices.
    ranges : ndarray of int64, shape (ranges,)
        Rows of the ranges.
    above : ndarray of int64, shape (ranges,)
        Index of the enclosing range of each one, -1 at the top.
    frames : ndarray of int64, shape (frames,)
        Rows of the frames.
    margin : int
        Tolerance for comparing ends, in nanoseconds.
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
        # The innermost range still open when the frame ends: did it begin in the frame?
        last = (
            np.searchsorted(self.ranges, first_rows_from(self.thread, self.start, frame, until)) - 1
        )
        opened = self._open_at(last, frame, until)
        opens = (opened >= 0) & (self.ranges[opened] > frame) if len(self.ranges) else opened >= 0
        # The innermost range open when the frame begins: does the frame outlast it?
        around = self._around(frame)
        closes = around >= 0
        closes[closes] = self.end[self.ranges[around[closes]]] + self.margin < until[closes]
        is_gate: Mask = opens | closes
        return is_gate

    def ends_around(self, indices: Rows) -> Rows:
        """Return the end of the innermost range in which each of some frames began, if any."""
        around = self._around(self.frames[indices])
        ends = np.full(len(indices), np.iinfo(np.int64).max)
        ends[around >= 0] = self.end[self.ranges[around[around >= 0]]]
        return ends

    def _around(self, frame: Rows) -> Rows:
        """Return the innermost range in which each of some rows began, -1 without one."""
        last = np.searchsorted(self.ranges, frame) - 1
        return self._open_at(last, frame, self.start[frame])

    def _open_at(self, index: Rows, frame: Rows, time: Rows) -> Rows:
        """Return the given range if it ends after a time, else its next such ancestor, or -1."""
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
        """Return when the frames end: as recorded on threads where none outlasts another."""
        end = self.end.copy()
        for thread in np.unique(self.thread[self._doubtful()]).tolist():
            first, last = np.searchsorted(self.thread, [thread, thread + 1])
            end[first:last] = self._one_by_one(int(first), int(last))
        return end

    def _doubtful(self) -> Rows:
        """Return the frames that outlast one that is no gate, or one that may hide such a frame.

        Of the frames that a frame outlasts, those that the innermost of them outlasts itself are
        not looked at.
        """
        parent = np.arange(-1, len(self.end) - 1, dtype=np.int64)
        pairs = [np.empty((2, 0), np.int64)]
        pairs += map(np.stack, crossings(self.thread, self.start, self.end, parent))
        rows, others = np.concatenate(pairs, axis=1)
        is_late = self.end[others] + self.margin < self.end[rows]
        gates, number = np.unique(others[is_late], return_inverse=True)
        is_late[is_late] = ~self.are_gates(gates)[number]
        doubtful: Rows = rows[is_late | np.isin(others, rows)]
        return doubtful

    def _one_by_one(self, first: int, last: int) -> list[int]:
        """Return the ends of the frames of a thread, given its rows."""
        gate = self.are_gates(np.arange(first, last)).tolist()
        ends: list[int] = []
        around: list[int] = []  # frames that may be open, innermost last
        rows = zip(self.start[first:last].tolist(), self.end[first:last].tolist(), strict=True)
        for row, (begin, end) in enumerate(rows):
            while around and ends[around[-1]] <= begin:
                around.pop()
            late = False
            for one in reversed(around):
                if late or ends[one] >= end:  # frames around it contain this one, too
                    break
                late = ends[one] > begin and ends[one] + self.margin < end and not gate[one]
            if late:
                gate[row] = False
            ends.append(ends[around[-1]] if late else end)
            around.append(row)
        return ends
