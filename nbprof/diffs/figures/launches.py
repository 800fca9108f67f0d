"""Differences by runtime call: what launching costs, and how long work waits for the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.devices.device_rows import has_device, kept_host_rows, work_rows
from nbprof.analysis.grouping import NS_PER_US, dense, sums
from nbprof.diffs.figures.keyed import keyed_table
from nbprof.diffs.spec import DiffTableSpec, Figure, compared, figure_option
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.model.contract.columns import text
from nbprof.model.filters.selection import step_of_host_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (
    Figure("host_us", "us", "time in the calls."),
    Figure("queue_us", "us", "sum of the times from the end of a call to the start of its work."),
    Figure("calls", "", "number of calls."),
    Figure("launched", "", "number of kernels, copies and memory sets that the calls launched."),
)
KEYS: Final = (text("name", "Name of the runtime or driver call."),)


def launches(sides: Sides, *, figure: str | None = None) -> pa.Table:
    """Return runtime calls with their times on both sides, the largest changes first."""
    return keyed_table(sides, measure, KEYS, FIGURES, figure=figure)


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the values of the runtime calls of a trace."""
    is_call = model.column("host", "kind") == kinds.RUNTIME
    rows = np.flatnonzero(is_call & kept_host_rows(model, filter_))
    duration = model.column("host", "duration_ns")
    values = {"host_us": duration[rows] / NS_PER_US, "calls": np.ones(len(rows))}
    if has_device(model):
        place = np.full(len(is_call), -1, np.int64)
        place[rows] = np.arange(len(rows))
        work = np.flatnonzero(work_rows(model) & (model.links.launch >= 0))
        launch = model.links.launch[work]
        waited = model.column("device", "start_ns")[work]
        waited = np.maximum(waited - model.column("host", "start_ns")[launch] - duration[launch], 0)
        at = place[launch]
        waited, at = waited[at >= 0], at[at >= 0]
        values["queue_us"] = sums(at, waited, len(rows)) / NS_PER_US
        values["launched"] = np.bincount(at, minlength=len(rows)).astype(np.float64)
    code = model.column("host", "name")[rows].astype(np.int64)
    group, first = dense(code)
    names = model.values("host", "name")
    return Cells.summed(
        [(names[one] if one >= 0 else None,) for one in code[first].tolist()],
        group,
        used.place(step_of_host_rows(model)[rows], len(model.steps.number)),
        values,
        steps=used.count,
        complete=used.complete,
    )


def by_step(sides: Sides) -> ByStep:
    """Return the values of runtime calls in every step; a filter of names chooses rows."""
    return ByStep.of(sides, measure, named=0)


TABLE: Final = DiffTableSpec(
    name="launches",
    summary="runtime calls with their times on both sides, and how long launched work waits",
    columns=(*KEYS, *compared(FIGURES)),
    make=launches,
    figures=FIGURES,
    measure=measure,
    options=(figure_option(FIGURES),),
    keys=("name",),
    by={"launch": {}},
    by_step=by_step,
    nouns=("call", "calls"),
)
