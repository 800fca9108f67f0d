"""Helpers for tables of groups: numbers groups, sums values, decodes names, caches by filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

T = TypeVar("T")
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

NS_PER_US = 1000.0
#: Number of filters whose results are cached.
KEPT = 3


def sums(group: Rows, values: npt.NDArray[Any], groups: int) -> Floats:
    """Sum values by group, shape (groups,).

    Whole nanoseconds are exact in float64 up to 2**53, which is 104 days.
    """
    weights = values.astype(np.float64, copy=False)
    total = np.bincount(group, weights=weights, minlength=groups)
    return total.astype(np.float64, copy=False)  # bincount returns integers when there are no rows


def extremes(group: Rows, values: Rows, groups: int) -> tuple[Rows, Rows]:
    """Return the maximum and minimum of each group; groups must not be empty."""
    order = np.argsort(group, kind="stable")
    ordered = values[order]
    first = np.searchsorted(group[order], np.arange(groups))
    if groups == 0:
        return ordered[:0], ordered[:0]
    return np.maximum.reduceat(ordered, first), np.minimum.reduceat(ordered, first)


def dense(*columns: npt.NDArray[Any]) -> tuple[Rows, Rows]:
    """Assign a number to each distinct combination of columns.

    Parameters
    ----------
    *columns : ndarray of integers, shape (rows,)
        Codes; -1 is treated like any other value.

    Returns
    -------
    group : ndarray of int64, shape (rows,)
        Number of each row's combination.
    first : ndarray of int64, shape (groups,)
        The first row of each combination.
    """
    rows = len(columns[0])
    group = np.zeros(rows, np.int64)
    count = 1
    for column in columns:
        codes, width = _small(column)
        key = group * width + codes
        if count * width <= 4 * rows + 1024:
            used = np.zeros(count * width, bool)
            used[key] = True
            number = np.cumsum(used) - 1
            group, count = number[key], int(used.sum())
        else:
            distinct, group = np.unique(key, return_inverse=True)
            count = len(distinct)
    first = np.full(count, rows, np.int64)
    first[group[::-1]] = np.arange(rows - 1, -1, -1)
    return group, first


def first_rows(group: Rows, groups: int) -> Rows:
    """Return the index of the first row of each group; for an empty group, the number of rows."""
    first = np.full(groups, len(group), np.int64)
    first[group[::-1]] = np.arange(len(group) - 1, -1, -1)
    return first


def _small(column: npt.NDArray[Any]) -> tuple[Rows, int]:
    """Shift codes to start at 0; number the distinct values if the range is large, as of bytes."""
    if len(column) == 0:
        return column.astype(np.int64), 1
    low, high = int(column.min()), int(column.max())
    if high - low > 4 * len(column) + 1024:
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64), len(distinct)
    return column.astype(np.int64) - low, high - low + 1


def texts(model: TraceModel, table: str, column: str, codes: npt.NDArray[Any]) -> pa.Array:
    """Return the texts behind codes of a dictionary column; -1 becomes null."""
    values = arrow_array(model.values(table, column), pa.utf8())
    return values.take(arrow_array(codes.astype(np.int64), mask=codes < 0))


def texts_at(values: Sequence[str], codes: npt.NDArray[Any]) -> pa.Array:
    """Return the texts behind codes; -1 becomes null. Texts without a code are not looked at."""
    used, place = np.unique(codes[codes >= 0], return_inverse=True)
    index = np.full(len(codes), -1, np.int64)
    index[codes >= 0] = place
    known = arrow_array([values[code] for code in used.tolist()], pa.utf8())
    return known.take(arrow_array(index, mask=index < 0))


def words(values: Sequence[str], codes: npt.NDArray[Any]) -> pa.Array:
    """Return the word of each code, null for -1."""
    return arrow_array(list(values), pa.utf8()).take(arrow_array(codes, mask=codes < 0))


def us(nanoseconds: npt.NDArray[Any]) -> Floats:
    """Return nanoseconds as microseconds, unrounded."""
    result: Floats = np.asarray(nanoseconds, np.float64) / NS_PER_US
    return result


def ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any], scale: float = 1.0) -> pa.Array:
    """Return scale · part / whole; null where whole is 0, or so small that no number holds it."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    part, whole = np.broadcast_arrays(part, whole)
    with np.errstate(over="ignore"):
        value = scale * np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole != 0)
    return arrow_array(value, pa.float64(), mask=~np.isfinite(value))


def share(part: float, whole: float) -> float | None:
    """Return 100 · part / whole, None where whole is 0."""
    return 100.0 * (part / whole) if whole else None


def weighted_means(
    group: Rows, values: Floats, weights: npt.NDArray[Any], groups: int
) -> pa.Array | None:
    """Return the weighted mean of each group over the rows that have a value.

    Returns None if no row has a value. A group without values or weight is null.
    """
    has = np.isfinite(values)
    if not has.any():
        return None
    group, weights = group[has], weights[has].astype(np.float64)
    top = sums(group, values[has] * weights, groups)
    return ratio(top, sums(group, weights, groups))


def require_group(group_by: str, groups: Sequence[str]) -> None:
    """Raise an error if a table does not have a grouping.

    Raises
    ------
    UnknownNameError
        The table does not have this grouping.
    """
    if group_by not in groups:
        message = f"There is no grouping {group_by!r}; there are {', '.join(groups)}."
        raise UnknownNameError(message)


def latest(model: TraceModel, key: str, filter_: Filter, make: Callable[[], T]) -> T:
    """Return a value computed for a filter, cached because tables of one view need it in turn.

    Values without a filter stay cached.

    The cache is replaced as a whole, so threads never see it half changed; at worst two threads
    compute the same value.
    """
    if not filter_:
        return model.cached(("whole", key), make)
    holder: list[dict[Filter, T]] = model.cached(("latest", key), lambda: [{}])
    kept = holder[0]
    if filter_ not in kept:
        value = make()
        holder[0] = {**dict(list(kept.items())[-KEPT + 1 :]), filter_: value}
        return value
    return kept[filter_]
