"""What every step adds to the rows of a table, so that steps can be added up elsewhere.

A row of the tables that are grouped belongs to one step at most, and so do calls and launches: what
can be added up, and the largest and the smallest of something, are those of the parts. Means and
shares follow from sums. A page without Python shows its tables under other filters that way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.device_rows import (
    counted_device_rows,
    has_device,
    kept_device_rows,
    kept_host_rows,
    work_of_kind,
)
from nbprof.analysis.grouping import dense, extremes, sums
from nbprof.analysis.kernels import MEANS
from nbprof.analysis.kernels import key_codes as kernel_codes
from nbprof.analysis.kernels import key_values as kernel_texts
from nbprof.analysis.npu import is_npu
from nbprof.analysis.operator_calls import operator_calls
from nbprof.analysis.operators import key_codes as operator_codes
from nbprof.analysis.tensor_cores import tensor_core_rows
from nbprof.model import contract, contract_kernels, kinds
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.selection import step_of_device_rows
from nbprof.model.steps import step_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Figures = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class StepParts:
    """The parts of a table by step.

    Attributes
    ----------
    table : pyarrow.Table
        Columns ``step`` (its number, -1 for what is in none), ``row`` (of the table) and figures,
        whole nanoseconds and counts as float64.
    columns : dict of str to list
        How columns of the table follow from figures: ``["sum", figure]``, ``["us", figure]``
        (a thousandth of the sum), ``["any", figure]``, ``["min_us", figure]``,
        ``["max_us", figure]``, ``["mean_us", figure, count]``, ``["ratio", part, whole, scale]``
        (null where the whole is 0), ``["share", figure, scale]`` (of the sum of all rows).
        All others stay as they are in the table.
    order : list of list
        Figures with ``"asc"`` or ``"desc"``, the most important first.
    shown : list of str
        Rows are shown if one of these figures is not 0; without any, if they have a part.
    """

    table: pa.Table
    columns: dict[str, list[Any]]
    order: list[list[str]]
    shown: list[str] = field(default_factory=list)


def step_of_host_rows(model: TraceModel) -> Rows:
    """Return the index of the step of every host row, -1 for none, shape (host rows,)."""
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
    """Add up figures by step and row, and take the least of some and the most of others.

    Parameters
    ----------
    model : TraceModel
        The trace.
    step, row : ndarray of int64, shape (n,)
        Index of the step and row that each belongs to; what has no row is left out.
    figures : dict of str to ndarray, shape (n,)
        What is added up.
    extremes_of : dict of str to ndarray, shape (n,), optional
        Of names that start with ``max`` the largest is taken, else the smallest.
    """
    use = row >= 0
    step, row = step[use], row[use]
    group, first = dense(step, row)
    count = len(first)
    data: dict[str, Any] = {
        "step": np.where(step[first] >= 0, model.steps.number[step[first]], -1),
        "row": pa.array(row[first], pa.int32()),
    }
    for name, values in figures.items():
        data[name] = sums(group, values[use], count)
    for name, ends in (extremes_of or {}).items():
        most, least = extremes(group, ends[use], count)
        data[name] = np.asarray(most if name.startswith("max") else least, np.float64)
    return pa.table(data)


def rows_by_key(table: pa.Table, columns: Sequence[str], keys: Sequence[Sequence[Any]]) -> Rows:
    """Return the row of a table that each of some keys is in, -1 for none, shape (keys,).

    Parameters
    ----------
    table : pyarrow.Table
        With these columns, which tell its rows apart.
    columns : sequence of str
        Their names.
    keys : sequence of sequences, shape (columns, keys)
        Values of each column.
    """
    known = zip(*(table[name].to_pylist() for name in columns), strict=True)
    place = {key: row for row, key in enumerate(known)}
    return np.array([place.get(key, -1) for key in zip(*keys, strict=True)], np.int64)


def operator_parts(
    model: TraceModel, table: pa.Table, group_by: str, filter_: Filter = NO_FILTER
) -> StepParts:
    """Return what every step adds to the table ``operators``.

    Parameters
    ----------
    model : TraceModel
        The trace.
    table : pyarrow.Table
        The table under that filter, in any order, or some of its rows.
    group_by : {"name", "name+shape", "name+stack"}
        How it is grouped.
    filter_ : Filter
        What it is narrowed to, without steps and name.
    """
    keys = contract.OPERATOR_GROUPS[group_by]
    calls = operator_calls(model)
    coded = [operator_codes(model, key) for key in keys]
    group, first = dense(*(codes[calls.row] for codes, _ in coded))
    texts = [
        [values[code] if code >= 0 else None for code in codes[calls.row[first]]]
        for codes, values in coded
    ]
    row = rows_by_key(table, keys, texts)[group] if len(first) else group
    kept = kept_host_rows(model, filter_.replace(devices=None, streams=None, workers=None))
    row = np.where(kept[calls.row], row, -1)
    figures: Figures = {
        "calls": np.ones(len(row)),
        "host_self_ns": calls.self_ns.astype(np.float64),
        "host_total_ns": model.column("host", "duration_ns")[calls.row].astype(np.float64),
    }
    columns: dict[str, list[Any]] = {
        "calls": ["sum", "calls"],
        "host_self_us": ["us", "host_self_ns"],
        "host_total_us": ["us", "host_total_ns"],
    }
    order = ["host_self_ns", "host_total_ns"]
    if has_device(model):
        figures.update(_launched(model, filter_))
        columns.update(
            device_self_us=["us", "device_self_ns"],
            device_total_us=["us", "device_total_ns"],
            tensor_core_eligible=["any", "eligible"],
            tensor_core_self_pct=["ratio", "tensor_self_ns", "device_self_ns", 100],
            tensor_core_total_pct=["ratio", "tensor_total_ns", "device_total_ns", 100],
        )
        order = ["device_self_ns", "device_total_ns", *order]
    step = step_of_host_rows(model)[calls.row]
    found = cells(model, step, row, figures, {"first": np.arange(len(row))})
    return StepParts(found, columns, [*([name, "desc"] for name in order), ["first", "asc"]])


def _launched(model: TraceModel, filter_: Filter) -> Figures:
    """Return the device times of every operator call."""
    calls = operator_calls(model)
    duration = model.column("device", "duration_ns")
    counted = counted_device_rows(model, filter_) & (calls.call_of_device >= 0)
    found: Figures = {"eligible": calls.eligible.astype(np.float64)}
    for stem, rows in (("device", counted), ("tensor", counted & tensor_core_rows(model))):
        own = sums(calls.call_of_device[rows], duration[rows], len(calls.row))
        found[f"{stem}_self_ns"] = own
        found[f"{stem}_total_ns"] = calls.forest.totals(own)
    return found


def kernel_parts(
    model: TraceModel, table: pa.Table, group_by: str, filter_: Filter = NO_FILTER
) -> StepParts:
    """Return what every step adds to the table ``kernels``; parameters as of `operator_parts`."""
    keys = contract_kernels.keys(group_by, npu=is_npu(model))
    rows = np.flatnonzero(work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, filter_))
    group, first = dense(*(kernel_codes(model, key)[rows] for key in keys))
    texts = [kernel_texts(model, key, rows[first]).to_pylist() for key in keys]
    row = rows_by_key(table, keys, texts)[group] if len(first) else group
    step = step_of_device_rows(model)[rows].astype(np.int64)
    duration = model.column("device", "duration_ns")[rows]
    figures: Figures = {"calls": np.ones(len(rows)), "total_ns": duration.astype(np.float64)}
    if group_by == "launch":
        found = cells(model, step, row, figures, {"first": rows})
        return StepParts(found, {"pct": ["share", "total_ns", 100]}, [["first", "asc"]])
    columns: dict[str, list[Any]] = {
        "calls": ["sum", "calls"],
        "total_us": ["us", "total_ns"],
        "mean_us": ["mean_us", "total_ns", "calls"],
        "max_us": ["max_us", "max_ns"],
        "min_us": ["min_us", "min_ns"],
        "pct": ["share", "total_ns", 100],
    }
    for column, source in ({} if is_npu(model) else MEANS).items():
        values = model.column("device", source)[rows]
        has = np.isfinite(values)
        if has.any():
            figures[f"{source}_top"] = np.where(has, values, 0.0) * duration
            figures[f"{source}_weight"] = np.where(has, duration, 0).astype(np.float64)
            columns[column] = ["ratio", f"{source}_top", f"{source}_weight", 1]
    ends = {"max_ns": duration, "min_ns": duration, "first": np.arange(len(rows))}
    found = cells(model, step, row, figures, ends)
    order = [["total_ns", "desc"], ["calls", "desc"], ["first", "asc"]]
    return StepParts(found, columns, order)
