"""Set operations on time intervals: union, intersection, difference and covered length.

An interval set is a pair ``(starts, ends)`` of int64 arrays of shape (n,), sorted, disjoint, not
touching, each interval half-open and longer than zero. Every function here returns such a set or
a measure of one, and none loops over intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Times: TypeAlias = npt.NDArray[np.int64]
IntervalSet: TypeAlias = tuple[Times, Times]


#: Greater than any time.
FAR = np.int64(2**62)


def empty() -> IntervalSet:
    """Return the set without intervals."""
    return np.empty(0, np.int64), np.empty(0, np.int64)


def union(starts: Times, ends: Times) -> IntervalSet:
    """Merge arbitrary intervals, overlapping, touching and unsorted, into a set.

    Parameters
    ----------
    starts, ends : ndarray of int64, shape (n,)
        The intervals; those without length are ignored.
    """
    longer = ends > starts
    if not longer.all():
        starts, ends = starts[longer], ends[longer]
    if len(starts) == 0:
        return empty()
    if np.any(starts[1:] < starts[:-1]):
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], ends[order]
    reach = np.maximum.accumulate(ends)
    first = np.empty(len(starts), bool)
    first[0] = True
    np.greater(starts[1:], reach[:-1], out=first[1:])
    last = np.append(np.flatnonzero(first)[1:] - 1, len(starts) - 1)
    return starts[first].astype(np.int64, copy=False), reach[last].astype(np.int64, copy=False)


def measure(a: IntervalSet) -> int:
    """Return the total length of a set."""
    return int(a[1].sum() - a[0].sum())


def intersect(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """Return the intersection of two sets.

    Each interval of the smaller set is looked up in the larger one, so that a few windows over many
    intervals are cheap.
    """
    if len(a[0]) > len(b[0]):
        a, b = b, a
    first = np.searchsorted(b[1], a[0], side="right")
    count = np.searchsorted(b[0], a[1], side="left") - first
    of = np.repeat(np.arange(len(count)), count)
    at = np.arange(len(of)) - np.repeat(np.cumsum(count) - count - first, count)
    return np.maximum(a[0][of], b[0][at]), np.minimum(a[1][of], b[1][at])


def subtract(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    """Return the part of `a` outside `b`."""
    outside = np.append(-FAR, b[1]), np.append(b[0], FAR)
    return intersect(a, outside)


def clip(a: IntervalSet, low: int, high: int) -> IntervalSet:
    """Return the part of a set inside one window."""
    starts, ends = np.maximum(a[0], low), np.minimum(a[1], high)
    keep = ends > starts
    return starts[keep], ends[keep]


def reach_of_groups(ends: Times, group: Times) -> Times:
    """Return the latest end so far in the group of each interval, shape (n,).

    Parameters
    ----------
    ends : ndarray of int64, shape (n,)
        Ends of intervals.
    group : ndarray of int64, shape (n,)
        Index of each one's group, ascending.
    """
    if len(ends) == 0 or group[0] == group[-1]:
        return np.maximum.accumulate(ends)
    # Ranks instead of times: their product with groups always fits, whatever the times are.
    order = np.argsort(ends, kind="stable")
    rank = np.empty(len(ends), np.int64)
    rank[order] = np.arange(len(ends))
    highest = np.maximum.accumulate(group * len(ends) + rank)
    reach: Times = ends[order[highest % len(ends)]]
    return reach


def split(starts: Times, ends: Times, windows: IntervalSet) -> tuple[Times, Times, Times, Times]:
    """Cut arbitrary intervals at the borders of windows.

    Parameters
    ----------
    starts, ends : ndarray of int64, shape (n,)
        The intervals.
    windows : IntervalSet
        Sorted and disjoint; they may touch and have no length.

    Returns
    -------
    window, interval : ndarray of int64, shape (pieces,)
        Where each piece lies, and of which interval it is.
    starts, ends : ndarray of int64, shape (pieces,)
        The pieces, in the order of the intervals.
    """
    first = np.searchsorted(windows[1], starts, side="right")
    count = np.maximum(np.searchsorted(windows[0], ends, side="left") - first, 0)
    of = np.repeat(np.arange(len(starts)), count)
    window = np.arange(len(of)) - np.repeat(np.cumsum(count) - count - first, count)
    return (
        window,
        of,
        np.maximum(starts[of], windows[0][window]),
        np.minimum(ends[of], windows[1][window]),
    )


def measure_within(a: IntervalSet, low: Times, high: Times) -> Times:
    """Return how much of a set lies in each of many windows, which may overlap each other.

    Parameters
    ----------
    low, high : ndarray of int64, shape (m,)
        The windows.

    Returns
    -------
    ndarray of int64, shape (m,)
    """
    return Coverage.of(a).within(low, high)


@dataclass(frozen=True)
class Coverage:
    """A set with the running sum of its lengths, for sets that are measured repeatedly.

    Attributes
    ----------
    starts, ends : ndarray of int64, shape (n,)
        The set.
    before : ndarray of int64, shape (n + 1,)
        Length of all intervals before each one; the last value is the length of all.
    """

    starts: Times
    ends: Times
    before: Times

    @classmethod
    def of(cls, a: IntervalSet) -> Coverage:
        """Compute the running sum of a set."""
        before = np.zeros(len(a[0]) + 1, np.int64)
        np.cumsum(a[1] - a[0], out=before[1:])
        return cls(*a, before)

    def within(self, low: Times, high: Times) -> Times:
        """Return how much of the set lies in each window, as `measure_within` does."""
        if len(self.starts) == 0:
            return np.zeros(len(low), np.int64)
        inside: Times = np.maximum(self._below(high) - self._below(low), 0)
        return inside

    def within_set(self, windows: IntervalSet) -> int:
        """Return the length of the intersection with another set."""
        return int(self.within(*windows).sum())

    def _below(self, times: Times) -> Times:
        """Return the length of the part of the set before each time."""
        index = np.searchsorted(self.starts, times, side="right")
        last = np.maximum(index - 1, 0)
        overshoot = np.maximum(self.ends[last] - np.maximum(times, self.starts[last]), 0)
        below: Times = np.where(index > 0, self.before[index] - overshoot, 0)
        return below
