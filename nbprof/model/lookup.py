"""Looks up the values of given rows in a column, its distinct values, and the rows of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def values_at(values: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    """Return the values at given rows, -1 for row -1; shape (rows,)."""
    if len(values) == 0:
        return np.full(len(rows), -1, np.int64)
    return np.where(rows >= 0, values[rows], -1)


def rows_of_values(values: npt.NDArray[np.integer[Any]]) -> dict[int, Rows]:
    """Return the rows of each value, in order of values and of rows.

    One sort serves all values: a mask for each would take time for values times rows.

    Parameters
    ----------
    values : ndarray of integers, shape (rows,)
    """
    if len(values) == 0:
        return {}
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    heads = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return dict(zip(ordered[heads].tolist(), np.split(order, heads[1:]), strict=True))


def distinct(values: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
    """Return the different values in ascending order.

    For many of them, such as times, this is ten times as fast as `numpy.unique`, which hashes
    integers; of few, as ids of threads, that one is faster.
    """
    ordered = np.sort(values)
    found: npt.NDArray[Any] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def is_in(values: npt.NDArray[np.integer[Any]], known: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which values are among distinct ones in ascending order, shape (values,)."""
    if len(known) == 0:
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[place] == values
    return found
