"""How long at least one of several intervals ran, for many groups of intervals at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def covered(group: Rows, start: Rows, end: Rows, groups: int) -> Rows:
    """Return the length of the union of the intervals of each group.

    Groups are laid end to end on one axis, each as long as from its first start to its last end,
    so that one running maximum merges them all.

    Parameters
    ----------
    group : ndarray of int64, shape (n,)
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
    if len(group) == 0:
        return np.zeros(groups, np.int64)
    if np.any(start[1:] < start[:-1]):
        by_start = np.argsort(start, kind="stable")
        group, start, end = group[by_start], start[by_start], end[by_start]
    order = np.argsort(group, kind="stable")
    group, start, end = group[order], start[order], end[order]
    head = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    first = start[head]
    extent = np.maximum.reduceat(end, head) - first
    index = np.zeros(len(group), np.int64)
    index[head[1:]] = 1
    shift = (np.cumsum(extent) - extent - first)[np.cumsum(index)]
    reach = np.maximum.accumulate(end + shift)
    before = np.append(np.iinfo(np.int64).min, reach[:-1])
    added = np.maximum(end + shift - np.maximum(start + shift, before), 0)
    found = np.zeros(groups, np.int64)
    found[group[head]] = np.add.reduceat(added, head)
    return found
