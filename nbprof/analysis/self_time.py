"""Self time of slices: the length of each without the union of the slices inside it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def self_time(start: Rows, end: Rows, begin: Rows, finish: Rows, above: Rows) -> Rows:
    """Return the length of each slice without the union of the parts inside it.

    All slices are laid end to end on one axis, so one running maximum merges the overlapping parts
    of every slice at once.

    Parameters
    ----------
    start, end : ndarray of int64, shape (slices,)
        The slices; they may overlap each other.
    begin, finish : ndarray of int64, shape (parts,)
        The parts inside the slices; what reaches beyond a slice is cut off. Parts of one slice are
        sorted by their begin.
    above : ndarray of int64, shape (parts,)
        Index of the slice that contains each part.

    Returns
    -------
    ndarray of int64, shape (slices,)
    """
    order = np.argsort(above, kind="stable")
    above = above[order]
    length = end - start
    axis = np.cumsum(length) - length
    shift = (axis - start)[above]
    low, high = axis[above], (axis + length)[above]
    begin = np.clip(begin[order] + shift, low, high)
    finish = np.clip(finish[order] + shift, low, high)
    reach = np.maximum.accumulate(finish)
    before = np.concatenate([np.zeros(min(1, len(reach)), np.int64), reach[:-1]])
    covered = np.maximum(finish - np.maximum(begin, before), 0)
    inside = np.bincount(above, weights=covered, minlength=len(start)).astype(np.int64)
    return length - inside
