"""Finds the rows of every value of a column at once, such as those of each device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]


def rows_of_values(values: npt.NDArray[np.integer[Any]]) -> dict[int, Rows]:
    """Return the rows of each value, in order of values and of rows.

    A mask for each value would take time by their number times the number of rows.

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
