"""Means, extremes and shares of times by group, as in PyTorch's and Paddle's operator tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import extremes, ratio, sums, us

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def spread(stem: str, group: Rows, values: npt.NDArray[Any], groups: int) -> dict[str, Any]:
    """Return ``{stem}_mean_us``, ``_max_us``, ``_min_us`` and ``_pct`` of each group.

    Parameters
    ----------
    stem : str
        ``"host"`` or ``"device"``.
    group : ndarray of int64, shape (n,)
        Group of each value.
    values : ndarray, shape (n,)
        Nanoseconds.
    groups : int
        Number of groups; results of groups without a value are null or undefined.

    Returns
    -------
    dict of str to array, shape (groups,)
    """
    total = sums(group, values, groups)
    calls = np.bincount(group, minlength=groups)
    most, least = np.zeros(groups), np.zeros(groups)
    there = np.flatnonzero(calls)
    number = np.cumsum(calls > 0) - 1
    most[there], least[there] = extremes(number[group], values, len(there))
    return {
        f"{stem}_mean_us": us(total / np.maximum(calls, 1)),
        f"{stem}_max_us": us(most),
        f"{stem}_min_us": us(least),
        f"{stem}_pct": ratio(total, total.sum(), 100.0),
    }


def means_and_shares(
    side: str, own: Floats, total: Floats, calls: npt.NDArray[Any]
) -> dict[str, Any]:
    """Return the mean total time of the calls of each group, and shares in the self time of all.

    Parameters
    ----------
    side : str
        ``"host"`` or ``"device"``.
    own, total : ndarray of float64, shape (groups,)
        Self and total time in ns.
    calls : ndarray, shape (groups,)
        Number of calls.

    Returns
    -------
    dict of str to array, shape (groups,)
        ``{side}_mean_us``, ``_self_pct`` and ``_total_pct``; shares of nothing are null.
    """
    return {
        f"{side}_mean_us": us(total / np.maximum(calls, 1)),
        f"{side}_self_pct": ratio(own, own.sum(), 100.0),
        f"{side}_total_pct": ratio(total, own.sum(), 100.0),
    }
