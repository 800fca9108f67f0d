"""Step functions of time: their sums, and their reduction to columns of pixels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


class TrackColumns(NamedTuple):
    """A curve reduced to pixel columns; columns without a change are left out.

    All have shape (columns,): the start of each column in nanoseconds, the value there, the value
    at its end, the minimum and the maximum between.
    """

    time: Times
    first: Values
    last: Values
    low: Values
    high: Values


def reduce_steps(
    times: Times, values: Values, start_ns: int, end_ns: int, width: int
) -> TrackColumns:
    """Reduce a step function to the columns of a window; values are never averaged.

    Column i goes from ``start_ns + i * (end_ns - start_ns) // width`` to where the next one starts.
    The first column is always included, with the value carried over from before. A curve that
    starts later starts at its own first time.

    Parameters
    ----------
    times : ndarray of int64, shape (points,)
        Nanoseconds, ascending; several values may have the same time.
    values : ndarray of float64, shape (points,)
        Values from these times on.
    start_ns, end_ns : int
        The window, last exclusive.
    width : int
        Number of columns; at most one per nanosecond.
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
    # Omitted columns hold no points, so the points of a column end where those of the next begin.
    inside, starts = values[: end[-1]], begin[changed]
    if len(starts):
        low[changed] = np.minimum(low[changed], np.minimum.reduceat(inside, starts))
        high[changed] = np.maximum(high[changed], np.maximum.reduceat(inside, starts))
    return TrackColumns(time, first, values[np.maximum(end - 1, 0)], low, high)


def add_up(times: Times, changes: Values) -> tuple[Times, Values]:
    """Return the step function that changes by given amounts at given times.

    Parameters
    ----------
    times : ndarray of int64, shape (n,)
        In any order.
    changes : ndarray of float64, shape (n,)
        Matching increases and decreases cancel exactly only if they are whole numbers.

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
    """Return a step function without points that repeat the previous value."""
    new = np.ones(len(times), bool)
    new[1:] = values[1:] != values[:-1]
    return times[new], values[new]
