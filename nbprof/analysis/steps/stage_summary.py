"""Table `stage_summary`: number of calls and time of each stage over all steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_host_rows
from nbprof.analysis.grouping import NS_PER_US, share
from nbprof.analysis.steps.stage_rows import OTHER, STAGES, stage_rows, stages_of
from nbprof.analysis.steps.stage_times import (
    Launched,
    StageTimes,
    has_host_rows,
    has_launches,
    launched,
    launched_in,
    stage_times,
    windows,
)
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.steps.batch_labels import BATCHES
from nbprof.model.steps.steps import step_at

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

STAGE_SUMMARY: Final[Columns] = (
    text("stage", "Step, or a stage of it."),
    count(
        "host_calls",
        "Number of times the stage ran, if events or labels recorded it; for other stages, the "
        "number of steps with it.",
    ),
    time("host_total_us", "Time of the stage on the host, summed over steps."),
    time("host_mean_us", "Mean host time of a call."),
    time("host_max_us", "Longest call on the host."),
    time("host_min_us", "Shortest call on the host."),
    pct("host_pct", "Share of the host time of the steps."),
    count("device_calls", "Number of calls, as in host_calls; empty without recorded device work."),
    time(
        "device_total_us",
        "Time with device work running that the stage launched. Concurrent work of a "
        "stage counts once; stages can overlap, so they may sum to more than the steps.",
    ),
    time("device_mean_us", "Mean device time of a call."),
    time("device_max_us", "Longest device time in a step; of labelled batches, in a label."),
    time("device_min_us", "Shortest device time in a step; of labelled batches, in a label."),
    pct("device_pct", "Share of the device time of the steps."),
)


Times = npt.NDArray[np.int64]

#: Stages that engines mark with a label for each batch.
_LABELLED: Final = tuple(map(STAGES.index, BATCHES))

#: Name of the first row, for steps as a whole.
STEP = "Step"


def stage_summary(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return a row for steps as a whole, then one per stage of the table ``stages``.

    Paddle records stages as events, and engines label prefill and decode; each event or label is a
    call. PyTorch does not: there, a call is a step in which the stage ran.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        As for `nbprof.analysis.steps.stages.stages`.

    Returns
    -------
    pyarrow.Table
        Columns of `STAGE_SUMMARY`. Device times count each moment once: stages may run
        concurrently, so the device time of steps may be less than the sum of their stages. Values
        are null and rows missing as in `stages`.
    """
    times = stage_times(model, filter_)
    calls, stages = _calls(model, filter_, times), stages_of(model)
    whole = times.end_ns - times.start_ns
    total = int(whole.sum())
    rows = [_host_figures(STEP, whole, total, total)]
    rows += [
        _host_figures(STAGES[i], calls[i], int(times.host_ns[:, i].sum()), total) for i in stages
    ]
    work = launched(model, filter_) if has_launches(model) else None
    figures_of = _device_figures(work, [row["host_calls"] for row in rows], stages)
    for stage in set(stages).intersection(_LABELLED) if work is not None else ():
        calls_ns = launched_in(model, filter_, stage, _recorded_calls(model, filter_, stage))
        if len(calls_ns):
            ends = {"max": calls_ns.max(), "min": calls_ns.min()}
            figures_of[1 + stages.index(stage)] |= {
                f"device_{name}_us": int(ns) / NS_PER_US for name, ns in ends.items()
            }
    for row, figures in zip(rows, figures_of, strict=True):
        row.update(figures)
    columns = STAGE_SUMMARY
    shown = rows if has_host_rows(model) else []
    return make_table(columns, {c.name: [row[c.name] for row in shown] for c in columns})


def _calls(model: TraceModel, filter_: Filter, times: StageTimes) -> list[Times]:
    """Return the duration of each call of each stage, inside the filter's range."""
    lengths_of = [lengths[lengths > 0] for lengths in times.host_ns.T]
    typed = model.capabilities.event_types
    for stage in range(OTHER) if typed else _LABELLED:
        start, end = _recorded_calls(model, filter_, stage)
        lengths_of[stage] = end - start
    if typed:
        lengths_of[OTHER] = times.host_ns[:, OTHER]
    return lengths_of


def _recorded_calls(model: TraceModel, filter_: Filter, stage: int) -> tuple[Times, Times]:
    """Return start and end of the events or labels of a stage, cut to the filter's range."""
    rows = stage_rows(model)[stage]
    narrow = filter_.replace(steps=None, time_us=None, devices=None, streams=None, workers=None)
    rows = rows[kept_host_rows(model, narrow)[rows]] if narrow else rows
    index, low, high = windows(model, filter_)
    steps = model.steps
    start = model.column("host", "start_ns")[rows]
    end = start + model.column("host", "duration_ns")[rows]
    place = np.full(len(steps.number) + 1, -1, np.int64)
    place[index] = np.arange(len(index))
    step = place[step_at(steps.host_start_ns, steps.host_end_ns, start)]
    start, end, step = start[step >= 0], end[step >= 0], step[step >= 0]
    low, high = low[step], high[step]
    first, last = np.maximum(start, low), np.minimum(end, high)
    inside = (last > first) | ((start >= low) & (start < high) & (last == first))
    return first[inside], last[inside]


def _host_figures(name: str, lengths: Times, total: int, of_steps: int) -> dict[str, Any]:
    calls = len(lengths)
    return {
        "stage": name,
        "host_calls": calls,
        "host_total_us": total / NS_PER_US,
        "host_mean_us": total / calls / NS_PER_US if calls else None,
        "host_max_us": int(lengths.max()) / NS_PER_US if calls else None,
        "host_min_us": int(lengths.min()) / NS_PER_US if calls else None,
        "host_pct": share(total, of_steps),
    }


def _device_figures(
    work: Launched | None, calls: list[int], stages: list[int]
) -> list[dict[str, Any]]:
    """Return the device figures of the steps and each stage; maximum and minimum are over steps."""
    names = [f"device_{stem}" for stem in ("calls", "total_us", "mean_us", "max_us", "min_us")]
    if work is None:
        return [dict.fromkeys([*names, "device_pct"]) for _ in calls]
    totals = [work.whole, *work.totals[stages].tolist()]
    by_step = [work.steps, *work.stages.T[stages]]
    found = []
    for number, total, steps in zip(calls, totals, by_step, strict=True):
        ends = (int(steps.max()), int(steps.min())) if len(steps) else (None, None)
        times = [total, total / number if number else None, *ends]
        values = [number, *(None if ns is None else ns / NS_PER_US for ns in times)]
        row = dict(zip(names, values, strict=True))
        found.append(row | {"device_pct": share(total, work.whole)})
    return found


TABLE: Final = TableSpec(
    name="stage_summary",
    summary="how often and how long each stage ran",
    columns=STAGE_SUMMARY,
    make=stage_summary,
)
