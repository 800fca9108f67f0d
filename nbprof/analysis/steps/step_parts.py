"""`StepParts`: the contribution of each step to a table, so that a page can filter by steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import dense, extremes, sums
from nbprof.model.building import arrow_array, table_of
from nbprof.model.steps.steps import step_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Figures = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class StepParts:
    """The contributions of each step to a table.

    Attributes
    ----------
    table : pyarrow.Table
        Columns ``step`` (its number, -1 for none), ``row`` (of the table) and figures: whole
        nanoseconds and counts as float64.
    columns : dict of str to list
        How columns of the table are computed from figures: ``["sum", figure]``, ``["us", figure]``
        (a thousandth of the sum), ``["any", figure]``, ``["min_us", figure]``, ``["max_us",
        figure]``, ``["mean_us", figure, count]``, ``["ratio", part, whole, scale]`` (null where the
        whole is 0), ``["share", figure, scale]`` (of the sum of all rows), ``["share", figure,
        scale, of]`` (of the sum of another figure). Other columns stay as in the table.
    order : list of list
        Sort keys: figures with ``"asc"`` or ``"desc"``, the primary one first.
    shown : list of str
        Rows are shown if one of these figures is not 0; if empty, rows with any contribution are
        shown.
    """

    table: pa.Table
    columns: dict[str, list[Any]] = field(default_factory=dict)
    order: list[list[str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


def mean_and_share_recipes(side: str) -> dict[str, list[Any]]:
    """Return how the columns of `means_and_shares` are computed, for one side of operators."""
    own, total = f"{side}_self_ns", f"{side}_total_ns"
    return {
        f"{side}_mean_us": ["mean_us", total, "calls"],
        f"{side}_self_pct": ["share", own, 100],
        f"{side}_total_pct": ["share", total, 100, own],
    }


def step_of_host_rows(model: TraceModel) -> Rows:
    """Return the step index of each host row, -1 for none, shape (host rows,)."""
    steps = model.steps
    start = model.column("host", "start_ns")
    return model.cached(
        "step of host rows", lambda: step_at(steps.host_start_ns, steps.host_end_ns, start)
    )


def cells(
    model: TraceModel,
    step: Rows,
    row: Rows,
    figures: Figures,
    extremes_of: dict[str, Rows] | None = None,
) -> pa.Table:
    """Aggregate figures by step and row: sums of some, extremes of others.

    Parameters
    ----------
    model : TraceModel
        The trace.
    step, row : ndarray of int64, shape (n,)
        Index of the step and row of each value; values with row -1 are left out.
    figures : dict of str to ndarray, shape (n,)
        Values to sum.
    extremes_of : dict of str to ndarray, shape (n,), optional
        Values to take the maximum of if the name starts with ``max``, otherwise the minimum.
    """
    use = row >= 0
    step, row = step[use], row[use]
    group, first = dense(step, row)
    count = len(first)
    data: dict[str, Any] = {
        "step": np.where(step[first] >= 0, model.steps.number[step[first]], -1),
        "row": arrow_array(row[first], pa.int32()),
    }
    for name, values in figures.items():
        data[name] = sums(group, values[use], count)
    for name, ends in (extremes_of or {}).items():
        most, least = extremes(group, ends[use], count)
        data[name] = np.asarray(most if name.startswith("max") else least, np.float64)
    return table_of(data)


def rows_by_key(table: pa.Table, columns: Sequence[str], keys: Sequence[Sequence[Any]]) -> Rows:
    """Return the row of a table for each key, -1 for none, shape (keys,).

    The second of equal keys maps to the second row with that key, and so on.

    Parameters
    ----------
    table : pyarrow.Table
        Table with the key columns.
    columns : sequence of str
        Names of the key columns.
    keys : sequence of sequences, shape (columns, keys)
        Values of each column.
    """
    known = zip(*(table[name].to_pylist() for name in columns), strict=True)
    place = {key: row for row, key in enumerate(_numbered(known))}
    wanted = _numbered(zip(*keys, strict=True))
    return np.array([place.get(key, -1) for key in wanted], np.int64)


def _numbered(keys: Iterable[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Return each key with the number of equal keys before it."""
    seen: Counter[tuple[Any, ...]] = Counter()
    for key in keys:
        yield key, seen[key]
        seen[key] += 1
