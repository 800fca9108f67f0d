"""The columns that all summaries of nsys have: share, sum, count, mean, median and spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import NS_PER_US, extremes, ratio, sums
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct, size, time
from nbprof.model.contract.table import Column, make_table

if TYPE_CHECKING:
    import pyarrow as pa

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Columns of the statistics of times, in nsys's order; each table adds what it groups by.
TIMES: Columns = (
    pct("time_pct", "Share of the total time of the table."),
    time("total_us", "Time of all of them."),
    count("instances", "Number of them."),
    time("mean_us", "Mean time."),
    time("median_us", "Median time."),
    time("min_us", "Shortest time."),
    time("max_us", "Longest time."),
    time("stddev_us", "Standard deviation of the time, of a sample; 0 for a single one."),
)

#: Columns of the statistics of sizes.
SIZES: Columns = (
    size("total_bytes", "Bytes of all of them."),
    count("instances", "Number of them."),
    *(
        Column(f"{name}_bytes", arrow_array([0.5]).type, "bytes", meaning)
        for name, meaning in (
            ("mean", "Mean size."),
            ("median", "Median size."),
            ("min", "Smallest size."),
            ("max", "Largest size."),
            ("stddev", "Standard deviation of the size, of a sample; 0 for a single one."),
        )
    ),
)


def spread_of(group: Rows, values: npt.NDArray[Any], groups: int) -> dict[str, npt.NDArray[Any]]:
    """Return statistics of each group.

    Parameters
    ----------
    group : ndarray of int64, shape (n,)
        Group of each value; no group is empty.
    values : ndarray, shape (n,)
        The values.
    groups : int
        Number of groups.

    Returns
    -------
    dict of str to ndarray, shape (groups,)
        ``total``, ``instances``, ``mean``, ``median``, ``min``, ``max`` and ``stddev``.

    Examples
    --------
    >>> found = spread_of(np.array([0, 0, 1]), np.array([1, 4, 7]), 2)
    >>> found["median"].tolist(), found["stddev"].round(3).tolist()
    ([2.5, 7.0], [2.121, 0.0])
    """
    instances = np.bincount(group, minlength=groups)
    total = sums(group, values, groups)
    mean = total / np.maximum(instances, 1)
    most, least = extremes(group, values, groups)
    squares = sums(group, (values - mean[group]) ** 2, groups)
    ordered = values[np.lexsort((values, group))] if groups else values
    first = np.cumsum(instances) - instances
    low, high = first + (instances - 1) // 2, first + instances // 2
    return {
        "total": total,
        "instances": instances,
        "mean": mean,
        "median": (ordered[low].astype(float) + ordered[high]) / 2 if groups else mean,
        "min": least.astype(float),
        "max": most.astype(float),
        "stddev": np.sqrt(squares / np.maximum(instances - 1, 1)),
    }


def time_statistics(group: Rows, duration_ns: npt.NDArray[Any], groups: int) -> dict[str, Any]:
    """Return the values of the columns `TIMES`, shape (groups,) each."""
    found = spread_of(group, duration_ns, groups)
    instances = found.pop("instances")
    columns: dict[str, Any] = {f"{name}_us": one / NS_PER_US for name, one in found.items()}
    share = ratio(found["total"], found["total"].sum(), 100.0)
    return {"time_pct": share, "instances": instances, **columns}


def size_statistics(group: Rows, amount: npt.NDArray[Any], groups: int) -> dict[str, Any]:
    """Return the values of the columns `SIZES`, shape (groups,) each."""
    found = spread_of(group, amount, groups)
    data: dict[str, Any] = {f"{name}_bytes": values for name, values in found.items()}
    data["total_bytes"] = found["total"].astype(np.int64)
    data["instances"] = data.pop("instances_bytes")
    return data


def sorted_summary(columns: Columns, data: dict[str, Any], first: Rows) -> pa.Table:
    """Return a summary with the largest total first; of equal ones, the first to occur.

    Parameters
    ----------
    columns : Columns
        The columns of the summary, ``total_us`` among them.
    data : dict of str to array-like, shape (groups,)
        Their values.
    first : ndarray of int64, shape (groups,)
        Where each group first occurs. The order never depends on the codes of names, which differ
        between a recording and a part of it.
    """
    table = make_table(columns, data)
    return table.take(arrow_array(np.lexsort((first, -np.asarray(data["total_us"])))))
