"""Small helpers that the result tables share: sums by group, shares, text of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

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
#: How many filters results are kept for.
KEPT = 3


def sums(group: Rows, values: npt.NDArray[Any], groups: int) -> Floats:
    """Add up values by group, shape (groups,).

    Whole nanoseconds are exact in float64 up to 2**53, which is 104 days.
    """
    weights = values.astype(np.float64, copy=False)
    total = np.bincount(group, weights=weights, minlength=groups)
    return total.astype(np.float64, copy=False)  # without any row it counts


def extremes(group: Rows, values: Rows, groups: int) -> tuple[Rows, Rows]:
    """Return the largest and the smallest value of each group; groups must not be empty."""
    order = np.argsort(group, kind="stable")
    ordered = values[order]
    first = np.searchsorted(group[order], np.arange(groups))
    if groups == 0:
        return ordered[:0], ordered[:0]
    return np.maximum.reduceat(ordered, first), np.minimum.reduceat(ordered, first)


def dense(*columns: npt.NDArray[Any]) -> tuple[Rows, Rows]:
    """Give every distinct combination of some columns a number.

    Parameters
    ----------
    *columns : ndarray of integers, shape (rows,)
        Codes; -1 is a value like any other.

    Returns
    -------
    group : ndarray of int64, shape (rows,)
        Number of each row's combination.
    first : ndarray of int64, shape (groups,)
        A row of each combination, the first.
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


def firsts(group: Rows, groups: int) -> Rows:
    """Return the place of the first row of each group, the number of rows for an empty one."""
    first = np.full(groups, len(group), np.int64)
    first[group[::-1]] = np.arange(len(group) - 1, -1, -1)
    return first


def _small(column: npt.NDArray[Any]) -> tuple[Rows, int]:
    """Shift codes to start at 0; large numbers, such as bytes, are numbered first."""
    if len(column) == 0:
        return column.astype(np.int64), 1
    low, high = int(column.min()), int(column.max())
    if high - low > 4 * len(column) + 1024:
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.int64), len(distinct)
    return column.astype(np.int64) - low, high - low + 1


def texts(model: TraceModel, table: str, column: str, codes: npt.NDArray[Any]) -> pa.Array:
    """Return the texts behind codes of a dictionary column; -1 becomes null."""
    values = pa.array(model.values(table, column), pa.utf8())
    return values.take(pa.array(codes.astype(np.int64), mask=codes < 0))


def us(nanoseconds: npt.NDArray[Any]) -> Floats:
    """Return nanoseconds as microseconds, unrounded."""
    result: Floats = np.asarray(nanoseconds, np.float64) / NS_PER_US
    return result


def ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any], scale: float = 1.0) -> pa.Array:
    """Return scale · part / whole; null where whole is 0."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    part, whole = np.broadcast_arrays(part, whole)
    defined = whole != 0
    value = scale * np.divide(part, whole, out=np.zeros(len(whole)), where=defined)
    return pa.array(value, pa.float64(), mask=~defined)


def share(part: float, whole: float) -> float | None:
    """Return 100 · part / whole, None where whole is 0."""
    return 100.0 * (part / whole) if whole else None


def weighted_means(
    group: Rows, values: Floats, weights: npt.NDArray[Any], groups: int
) -> pa.Array | None:
    """Return the mean of each group over the rows that have a value, weighted.

    None where no row has one; null for a group without, or without weight.
    """
    has = np.isfinite(values)
    if not has.any():
        return None
    group, weights = group[has], weights[has].astype(np.float64)
    top = sums(group, values[has] * weights, groups)
    return ratio(top, sums(group, weights, groups))


def require_group(group_by: str, groups: Sequence[str]) -> None:
    """Check a grouping.

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    if group_by not in groups:
        message = f"There is no grouping {group_by!r}; there are {', '.join(groups)}."
        raise UnknownNameError(message)


def latest(model: TraceModel, key: str, filter_: Filter, make: Callable[[], T]) -> T:
    """Keep the last values made for a filter, since the tables of one view ask for them in turn.

    Those of the whole trace stay for good.

    What is kept is replaced as a whole, so that threads never see it half changed; at worst two
    of them make the same value.
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
