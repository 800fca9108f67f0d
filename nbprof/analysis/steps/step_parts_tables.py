"""Contributions of each step to `operators` and `kernels`, for filters on pages without Python.

Each call and launch belongs to at most one step, so sums, maxima and minima of a grouped table
follow from those of single steps, and means and shares follow from sums. This is how a page without
Python shows its tables under other filters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    counted_device_rows,
    devices_in,
    has_device,
    kept_device_rows,
    kept_host_rows,
    work_of_kind,
)
from nbprof.analysis.grouping import dense, sums
from nbprof.analysis.kernels import kernel_columns
from nbprof.analysis.kernels.kernels import averaged
from nbprof.analysis.kernels.kernels import key_codes as kernel_codes
from nbprof.analysis.kernels.kernels import key_values as kernel_texts
from nbprof.analysis.kernels.matrix_devices import knows_matrix_units
from nbprof.analysis.kernels.matrix_units import used_rows
from nbprof.analysis.kernels.npu_cores import ai_core_rows, has_cores, knows_cores
from nbprof.analysis.operators.call_memory import call_memory
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.measured_calls import has_measured
from nbprof.analysis.operators.measured_operators import measured_parts
from nbprof.analysis.operators.operator_columns import OPERATOR_GROUPS
from nbprof.analysis.operators.operators import kernel_times
from nbprof.analysis.operators.operators import key_codes as operator_codes
from nbprof.analysis.steps.step_parts import (
    Figures,
    StepParts,
    cells,
    mean_and_share_recipes,
    rows_by_key,
    step_of_host_rows,
)
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import step_of_device_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def operator_parts(
    model: TraceModel, table: pa.Table, group_by: str, filter_: Filter = NO_FILTER
) -> StepParts:
    """Return the contributions of each step to the table ``operators``.

    Parameters
    ----------
    model : TraceModel
        The trace.
    table : pyarrow.Table
        The table under the filter, in any order, or some of its rows.
    group_by : {"name", "name+shape", "name+stack"}
        Grouping of the table.
    filter_ : Filter
        The filter of the table, without steps and name.
    """
    if has_measured(model):
        return measured_parts(model, table, group_by, filter_)
    keys = OPERATOR_GROUPS[group_by]
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
        **mean_and_share_recipes("host"),
    }
    for name, of_call in call_memory(model, filter_, calls).items():
        figures[name] = of_call
        columns[f"{name}_bytes"] = ["sum", name]
    order = ["host_self_ns", "host_total_ns"]
    if has_device(model):
        figures.update(_launched(model, filter_))
        columns.update(
            device_self_us=["us", "device_self_ns"],
            device_total_us=["us", "device_total_ns"],
            **mean_and_share_recipes("device"),
        )
        stem = "ai_core" if has_cores(model) else "tensor_core"
        if not has_cores(model) or knows_cores(model):
            columns[f"{stem}_eligible"] = ["any", "eligible"]
            for part in ("self", "total"):
                recipe = ["ratio", f"core_{part}_ns", f"device_{part}_ns", 100]
                columns[f"{stem}_{part}_pct"] = recipe
        if not has_cores(model) and knows_matrix_units(model, devices_in(model, NO_FILTER)):
            for part, column in (
                ("used", "matrix_unit_pct"),
                ("unknown", "matrix_unit_unknown_pct"),
            ):
                columns[column] = ["ratio", f"kernels_{part}_ns", "kernels_total_ns", 100]
        order = ["device_self_ns", "device_total_ns", *order]
    ends = {"first": np.arange(len(row))}
    if model.capabilities.call_extremes:
        for side in ("host", "device") if has_device(model) else ("host",):
            total = figures[f"{side}_total_ns"].astype(np.int64)
            ends |= {f"max_{side}_ns": total, f"min_{side}_ns": total}
            columns |= _spread(side)
    step = step_of_host_rows(model)[calls.row]
    found = cells(model, step, row, figures, ends)
    return StepParts(found, columns, [*([name, "desc"] for name in order), ["first", "asc"]])


def _spread(side: str) -> dict[str, list[Any]]:
    """Return how the columns with extremes of calls are computed."""
    total = f"{side}_total_ns"
    return {
        f"{side}_max_us": ["max_us", f"max_{side}_ns"],
        f"{side}_min_us": ["min_us", f"min_{side}_ns"],
        f"{side}_pct": ["share", total, 100],
    }


def _launched(model: TraceModel, filter_: Filter) -> Figures:
    """Return the device times of each operator call."""
    calls = operator_calls(model)
    duration = model.column("device", "duration_ns")
    counted = counted_device_rows(model, filter_) & (calls.call_of_device >= 0)
    figures: Figures = {}
    on_cores = ai_core_rows(model) if has_cores(model) else used_rows(model)
    for stem, rows in (("device", counted), ("core", counted & on_cores)):
        own = sums(calls.call_of_device[rows], duration[rows], len(calls.row))
        figures[f"{stem}_self_ns"] = own
        figures[f"{stem}_total_ns"] = calls.forest.totals(own)
    if not has_cores(model):
        time = kernel_times(model, calls, np.flatnonzero(counted))
        figures |= {f"kernels_{part}_ns": of_call for part, of_call in time.items()}
    eligible = figures["core_total_ns"] > 0 if has_cores(model) else calls.eligible
    return {**figures, "eligible": eligible.astype(np.float64)}


def kernel_parts(
    model: TraceModel, table: pa.Table, group_by: str, filter_: Filter = NO_FILTER
) -> StepParts:
    """Return the contributions of each step to ``kernels``; parameters as of `operator_parts`."""
    keys = kernel_columns.keys(group_by, npu=has_cores(model))
    rows = np.flatnonzero(work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, filter_))
    if group_by == "launch":  # simultaneous equal launches have separate rows
        group = first = np.arange(len(rows))
    else:
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
    for column, of_row in ({} if has_cores(model) else averaged(model)).items():
        values = of_row[rows]
        has = np.isfinite(values)
        if has.any():
            figures[f"{column}_top"] = np.where(has, values, 0.0) * duration
            figures[f"{column}_weight"] = np.where(has, duration, 0).astype(np.float64)
            columns[column] = ["ratio", f"{column}_top", f"{column}_weight", 1]
    ends = {"max_ns": duration, "min_ns": duration, "first": np.arange(len(rows))}
    found = cells(model, step, row, figures, ends)
    order = [["total_ns", "desc"], ["calls", "desc"], ["first", "asc"]]
    return StepParts(found, columns, order)
