"""Step functions over time, and what of one a row of pixels shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Track:
    """A curve of the timeline: a value that holds from its time to the next one's.

    Several values may have one time; all but the last are passed through, such as a peak of memory
    between two records of one microsecond.

    Attributes
    ----------
    key : str
        Stable name.
    group : str
        Key of the process or device that it is drawn under.
    label, detail : str
        What people read.
    unit : str
        ``"%"``, ``"bytes"`` or ``""`` for a count.
    low, high : float
        Ends of its scale.
    device, stream : int or None
        What filters call it.
    times : ndarray of int64, shape (points,)
        Nanoseconds from the trace's first event, ascending; may start before 0.
    values : ndarray of float64, shape (points,)
        Finite.
    """

    key: str
    group: str
    label: str
    detail: str
    unit: str
    low: float
    high: float
    device: int | None
    stream: int | None
    times: Times
    values: Values


class TrackColumns(NamedTuple):
    """A curve as columns of pixels; those in which nothing changes are left out.

    All of shape (columns,): where each column starts (nanoseconds), the value in force there, the
    value at its end, the smallest and the largest on the way.
    """

    time: Times
    first: Values
    last: Values
    low: Values
    high: Values


def reduce(track: Track, start_ns: int, end_ns: int, width: int) -> TrackColumns:
    """Reduce a curve to the columns of a window, as `reduce_steps` does."""
    return reduce_steps(track.times, track.values, start_ns, end_ns, width)


def reduce_steps(
    times: Times, values: Values, start_ns: int, end_ns: int, width: int
) -> TrackColumns:
    """Reduce a step function to the columns of a window; nothing is averaged.

    Column i goes from ``start_ns + i * (end_ns - start_ns) // width`` to where the next one starts.
    The first column is there even if nothing changes in it, with the value carried in from before.
    A curve that starts later starts with its own first time.

    Parameters
    ----------
    times : ndarray of int64, shape (points,)
        Nanoseconds, ascending; several values may have one time.
    values : ndarray of float64, shape (points,)
        What holds from there on.
    start_ns, end_ns : int
        The window, last exclusive.
    width : int
        Columns; there are no more than nanoseconds.
    """
    span = max(int(end_ns) - int(start_ns), 0)
    width = min(int(width), span)
    # Python's integers: span * width may be beyond int64.
    step, rest = divmod(span, max(width, 1))
    index = np.arange(max(width, 0) + 1, dtype=np.int64)
    edges = start_ns + index * step + index * rest // max(width, 1)
    bounds = np.searchsorted(times, edges, side="left")
    shown = bounds[1:] > bounds[:-1]
    if width > 0 and bounds[0] > 0:
        shown[0] = True  # with the value carried in
    column = np.flatnonzero(shown)
    if len(column) == 0:
        nothing = np.empty(0, np.float64)
        return TrackColumns(np.empty(0, np.int64), nothing, nothing, nothing, nothing)
    begin, end = bounds[column], bounds[column + 1]
    at_edge = np.searchsorted(times, edges[column], side="right") - 1
    late = at_edge < 0  # the curve starts inside this column
    time = np.where(late, times[0], edges[column])
    first = values[np.maximum(at_edge, 0)]
    low, high = first.copy(), first.copy()
    changed = end > begin
    # Columns left out hold no point, so that one column's points end where the next one's begin.
    inside, starts = values[: end[-1]], begin[changed]
    if len(starts):
        low[changed] = np.minimum(low[changed], np.minimum.reduceat(inside, starts))
        high[changed] = np.maximum(high[changed], np.maximum.reduceat(inside, starts))
    return TrackColumns(time, first, values[np.maximum(end - 1, 0)], low, high)


def add_up(times: Times, changes: Values) -> tuple[Times, Values]:
    """Return the step function that jumps by each change at its time.

    Parameters
    ----------
    times : ndarray of int64, shape (n,)
        In any order.
    changes : ndarray of float64, shape (n,)
        Ups and downs that belong together cancel exactly only where they are whole numbers.

    Returns
    -------
    times : ndarray of int64, shape (m,)
        Distinct and ascending, those at which the value changes.
    values : ndarray of float64, shape (m,)
    """
    order = np.argsort(times, kind="stable")
    times, level = times[order], np.cumsum(changes[order])
    last = np.ones(len(times), bool)
    last[:-1] = times[1:] != times[:-1]
    return without_repeats(times[last], level[last])


def without_repeats(times: Times, values: Values) -> tuple[Times, Values]:
    """Return a step function without the points that repeat the value before them."""
    new = np.ones(len(times), bool)
    new[1:] = values[1:] != values[:-1]
    return times[new], values[new]
