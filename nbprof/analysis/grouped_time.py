"""Length of the union of intervals, computed for many groups of intervals at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def covered(group: npt.NDArray[np.integer], start: Rows, end: Rows, groups: int) -> Rows:
    """Return the length of the union of the intervals of each group.

    Groups are laid end to end on one axis, each as long as the time from its first start to its
    last end, so one running maximum merges all of them.

    Parameters
    ----------
    group : ndarray of integers, shape (n,)
        Number of the group of each interval.
    start, end : ndarray of int64, shape (n,)
        The intervals, in any order.
    groups : int
        Number of groups.

    Returns
    -------
    ndarray of int64, shape (groups,)
    """
    longer = end > start
    if not longer.all():
        group, start, end = group[longer], start[longer], end[longer]
    total = np.zeros(groups, np.int64)
    if len(group) == 0:
        return total
    order = _order(group, start, groups)
    start, end = start.take(order), end.take(order)
    size = np.bincount(group, minlength=groups)
    there = np.flatnonzero(size)
    size = size[there]
    head = np.cumsum(size) - size
    first = start[head]
    extent = np.maximum.reduceat(end, head) - first
    shift = np.repeat(np.cumsum(extent) - extent - first, size)
    start += shift
    end += shift
    # earlier groups end where this group starts, so they cut nothing off it
    reach = np.maximum.accumulate(end)
    np.maximum(start[1:], reach[:-1], out=start[1:])
    total[there] = np.add.reduceat(np.maximum(end - start, 0), head)
    return total


def _order(group: npt.NDArray[np.integer], start: Rows, groups: int) -> Rows:
    """Return the order that sorts by group, then by start."""
    order = None
    if np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        group = group.take(order)
    if groups <= np.iinfo(np.int16).max:
        group = group.astype(np.int16, copy=False)  # NumPy sorts these in one pass
    by_group = np.argsort(group, kind="stable")
    return by_group if order is None else order.take(by_group)
