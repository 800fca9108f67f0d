"""Looks up the values of given rows in a column, and the rows of every value of it."""

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
