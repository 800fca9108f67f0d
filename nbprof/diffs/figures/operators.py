"""Differences by operator, or by operator and shapes of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import NS_PER_US, dense, sums
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.measured_calls import device_times, has_measured, kept_calls
from nbprof.analysis.operators.operators import key_codes
from nbprof.diffs.figures.keyed import keyed_table
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.model.contract.columns import text
from nbprof.model.filters.selection import step_of_host_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FIGURES: Final = (
    Figure(
        "device_self_us",
        "us",
        "time of the kernels launched by the operator itself, not by operators that it called.",
        instead="host_self_us",
    ),
    Figure(
        "device_total_us",
        "us",
        "time of the kernels launched by the operator and the operators it called.",
    ),
    Figure(
        "host_self_us", "us", "time in the operator without operators and runtime calls inside it."
    ),
    Figure("host_total_us", "us", "time in the operator, from start to end."),
    Figure("calls", "", "number of calls."),
)
KEYS: Final = (
    text("name", "Name of the operator."),
    text("input_shapes", "Shapes of the inputs, as JSON."),
)
GROUPS: Final = {"name": ("name",), "name+shape": ("name", "input_shapes")}


def operators(sides: Sides, *, group_by: str = "name", figure: str | None = None) -> pa.Table:
    """Return operators with their times on both sides, the largest changes first."""
    keys = tuple(key for key in KEYS if key.name in GROUPS[group_by])
    return keyed_table(sides, measure, keys, FIGURES, figure=figure, group_by=group_by)


def measure(model: TraceModel, filter_: Filter, used: UsedSteps, *, group_by: str) -> Cells:
    """Return the values of the operators of a trace, as in its table ``operators``.

    Calls count for the step in which they start; their device time is that of everything they
    launched. Calls whose start was not recorded count evenly for all steps, and there is no
    estimate of the noise then.
    """
    names = GROUPS[group_by]
    calls = _measured if has_measured(model) else _called
    row, keep, columns, values = calls(model, filter_, names)
    group, first = dense(*(codes for codes, _ in columns))
    texts = [
        [known[code] if code >= 0 else None for code in codes[first].tolist()]
        for codes, known in columns
    ]
    step = np.append(step_of_host_rows(model), -1)[row]  # the last is for calls without a time
    place = np.where(keep, used.place(step, len(model.steps.number)), -1)
    values = {**values, "calls": np.ones(len(row))}
    untimed = np.flatnonzero(keep & (row < 0)) if not used.whole else row[:0]
    if len(untimed):  # nobody knows in which step: each has its share of them
        steps = len(model.steps.number)
        group = np.concatenate([group, np.tile(group[untimed], used.count)])
        place = np.concatenate([place, np.repeat(np.arange(used.count), len(untimed))])
        values = {
            name: np.concatenate([of, np.tile(of[untimed] / steps, used.count)])
            for name, of in values.items()
        }
    return Cells.summed(
        list(zip(*texts, strict=True)),
        group,
        place,
        values,
        steps=used.count,
        complete=0 if len(untimed) else used.complete,
    )


def by_step(sides: Sides, *, group_by: str) -> ByStep:
    """Return the values of operators in every step; a filter of names chooses rows."""
    return ByStep.of(sides, measure, named=0, group_by=group_by)


def _called(model: TraceModel, filter_: Filter, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return host rows, the selection, key columns and times of all calls."""
    calls = operator_calls(model)
    duration = model.column("host", "duration_ns")[calls.row]
    values = {"host_self_us": calls.self_ns / NS_PER_US, "host_total_us": duration / NS_PER_US}
    if has_device(model):
        counted = np.flatnonzero(counted_device_rows(model, filter_) & (calls.call_of_device >= 0))
        time = model.column("device", "duration_ns")[counted]
        own = sums(calls.call_of_device[counted], time, len(calls.row))
        values["device_self_us"] = own / NS_PER_US
        values["device_total_us"] = calls.forest.totals(own) / NS_PER_US
    keep = kept_host_rows(model, filter_.replace(devices=None, streams=None))[calls.row]
    coded = [key_codes(model, name) for name in names]
    return calls.row, keep, [(codes[calls.row], texts) for codes, texts in coded], values


def _measured(model: TraceModel, filter_: Filter, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the same for recorders that sum the times of operators themselves."""
    table = "measured_operators"
    times = device_times(model, filter_)
    values = {
        **{
            name: np.nan_to_num(model.column(table, name))
            for name in ("host_self_us", "host_total_us")
        },
        "device_self_us": times.own,
        "device_total_us": times.total,
    }
    columns = [(model.column(table, name), model.values(table, name)) for name in names]
    return model.column(table, "row"), kept_calls(model, filter_), columns, values


TABLE: Final = DiffTableSpec(
    name="operators",
    summary="operators with their host and device times on both sides",
    columns=(*KEYS, *compared(FIGURES)),
    make=operators,
    figures=FIGURES,
    measure=measure,
    groupings=GROUPS,
    options=(figure_option(FIGURES),),
    by={"operator": {"group_by": "name"}, "operator+shape": {"group_by": "name+shape"}},
    by_step=by_step,
    nouns=("operator", "operators"),
    needs="operators",
)
