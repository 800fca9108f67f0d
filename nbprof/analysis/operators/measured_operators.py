"""Table `operators` for recorders that sum the times of operators themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import has_device
from nbprof.analysis.grouping import NS_PER_US, dense, ratio, sums, texts
from nbprof.analysis.operators.measured_calls import device_times, kept_calls
from nbprof.analysis.operators.operator_columns import NPU_OPERATORS, OPERATOR_GROUPS
from nbprof.analysis.operators.time_statistics import means_and_shares
from nbprof.analysis.steps.step_parts import (
    StepParts,
    cells,
    mean_and_share_recipes,
    rows_by_key,
    step_of_host_rows,
)
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import grouped
from nbprof.model.contract.table import make_table

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def measured_operators(model: TraceModel, filter_: Filter, group_by: str) -> pa.Table:
    """Return the calls that the filter keeps, by group, most device time first.

    Every call counts, including directly nested calls of the same name, as in the recorder's own
    tables.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects calls; devices, streams and device kinds narrow their device times.
    group_by : {"name", "name+shape", "name+stack"}
        Key of a row.

    Returns
    -------
    pyarrow.Table
        Columns of `NPU_OPERATORS`.
    """
    keys = OPERATOR_GROUPS[group_by]
    calls = np.flatnonzero(kept_calls(model, filter_))
    group, first = dense(*(model.column("measured_operators", key)[calls] for key in keys))
    figures = {
        name: sums(group, values[calls], len(first))
        for name, values in _figures(model, filter_).items()
    }
    number = np.bincount(group, minlength=len(first))
    sides = ("host", "device") if _has_device_times(model) else ("host",)
    data: dict[str, Any] = {
        "calls": number,
        "host_self_us": figures["host_self_us"],
        "host_total_us": figures["host_total_us"],
    }
    for side in sides:
        own, total = (figures[f"{side}_{part}_us"] * NS_PER_US for part in ("self", "total"))
        data |= means_and_shares(side, own, total, number)
    order = ["host_self_us", "host_total_us"]
    if _has_device_times(model):
        own, total = figures["device_self_us"], figures["device_total_us"]
        data["device_self_us"], data["device_total_us"] = own, total
        data["ai_core_eligible"] = (figures["ai_core_self_us"] > 0) | (
            figures["ai_core_total_us"] > 0
        )
        data["ai_core_self_pct"] = ratio(figures["ai_core_self_us"], own, 100.0)
        data["ai_core_total_pct"] = ratio(figures["ai_core_total_us"], total, 100.0)
        order = ["device_self_us", "device_total_us", *order]
    for key in keys:
        codes = model.column("measured_operators", key)[calls[first]]
        data[key] = texts(model, "measured_operators", key, codes)
    columns = grouped(NPU_OPERATORS, OPERATOR_GROUPS, group_by)
    table = make_table(columns, {column.name: data.get(column.name) for column in columns})
    return table.take(arrow_array(np.lexsort([first, *(-data[name] for name in reversed(order))])))


def measured_parts(model: TraceModel, table: pa.Table, group_by: str, filter_: Filter) -> StepParts:
    """Return the contribution of each step to the table; parameters as of `operator_parts`."""
    keys = OPERATOR_GROUPS[group_by]
    columns = [model.column("measured_operators", key) for key in keys]
    group, first = dense(*columns)
    shown = [
        texts(model, "measured_operators", key, codes[first]).to_pylist()
        for key, codes in zip(keys, columns, strict=True)
    ]
    row = rows_by_key(table, keys, shown)[group] if len(first) else group
    row = np.where(kept_calls(model, filter_), row, -1)
    figures = {
        name.replace("_us", "_ns"): values * NS_PER_US
        for name, values in _figures(model, filter_).items()
    }
    figures["calls"] = np.ones(len(row))
    recipes: dict[str, list[Any]] = {
        "calls": ["sum", "calls"],
        "host_self_us": ["us", "host_self_ns"],
        "host_total_us": ["us", "host_total_ns"],
        **mean_and_share_recipes("host"),
    }
    order = ["host_self_ns", "host_total_ns"]
    if _has_device_times(model):
        recipes.update(
            device_self_us=["us", "device_self_ns"],
            device_total_us=["us", "device_total_ns"],
            **mean_and_share_recipes("device"),
            ai_core_eligible=["any", "eligible"],
            ai_core_self_pct=["ratio", "ai_core_self_ns", "device_self_ns", 100],
            ai_core_total_pct=["ratio", "ai_core_total_ns", "device_total_ns", 100],
        )
        figures["eligible"] = figures["ai_core_self_ns"] + figures["ai_core_total_ns"]
        order = ["device_self_ns", "device_total_ns", *order]
    host_row = model.column("measured_operators", "row")
    # The last element is for calls without a start time, whose row is -1.
    step = np.append(step_of_host_rows(model), -1)[host_row]
    parts = cells(model, step, row, figures, {"first": np.arange(len(row))})
    return StepParts(parts, recipes, [*([name, "desc"] for name in order), ["first", "asc"]])


def _figures(model: TraceModel, filter_: Filter) -> dict[str, Floats]:
    """Return the times of each call, shape (calls,)."""
    times = device_times(model, filter_)
    names = "host_self_us", "host_total_us"
    return {
        **{name: np.nan_to_num(model.column("measured_operators", name)) for name in names},
        "device_self_us": times.own,
        "device_total_us": times.total,
        "ai_core_self_us": times.ai_core_own,
        "ai_core_total_us": times.ai_core_total,
    }


def _has_device_times(model: TraceModel) -> bool:
    """Return whether the recording contains device work or device times of operators."""
    measured = model.column("measured_operators", "device_total_us")
    return has_device(model) or bool(np.nansum(measured) > 0)
