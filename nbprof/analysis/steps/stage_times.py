"""Host time of each stage, and the device work it launched: the measurements of stage tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    kept_device_rows,
    kept_host_rows,
    work_of_kind,
    work_rows,
)
from nbprof.analysis.grouped_time import covered
from nbprof.analysis.grouping import latest
from nbprof.analysis.steps.stage_rows import (
    OPTIMIZATION,
    OTHER,
    PRIORITY,
    STAGES,
    closures,
    stage_rows,
)
from nbprof.model import intervals
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.intervals import Coverage
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Stages = npt.NDArray[np.int16]

NO_ROWS: Final = np.empty(0, np.int64)


@dataclass(frozen=True)
class StageTimes:
    """The steps inside a filter's range, as recorded on the host, with time by stage.

    Attributes
    ----------
    number, start_ns, end_ns : ndarray of int64, shape (steps,)
        The steps, cut to the range.
    host_ns : ndarray of int64, shape (steps, stages)
        Time of each stage on the host; the stages of a step sum to it.
    """

    number: Rows
    start_ns: Rows
    end_ns: Rows
    host_ns: Rows


@dataclass(frozen=True)
class Launched:
    """Time of the device work launched by stages; each value counts concurrent work once.

    Attributes
    ----------
    stages : ndarray of int64, shape (steps, stages)
        Time of each stage of each step.
    steps : ndarray of int64, shape (steps,)
        Time of each step.
    totals : ndarray of int64, shape (stages,)
        Time of each stage over all steps.
    whole : int
        Time of all steps.
    """

    stages: Rows
    steps: Rows
    totals: Rows
    whole: int


def stage_times(model: TraceModel, filter_: Filter) -> StageTimes:
    """Split the steps inside the filter's range by stage."""
    return latest(model, "stage times", filter_, lambda: _stage_times(model, filter_))


def launched(model: TraceModel, filter_: Filter) -> Launched:
    """Measure the device work launched by stages, as far as the filter keeps it.

    Work belongs to the stage in which its launch began, wherever it ran. For Paddle, only kernels
    count, as in its own tools.
    """
    return latest(model, "work of stages", filter_, lambda: _launched(model, filter_))


def launched_in(model: TraceModel, filter_: Filter, stage: int, calls: tuple[Rows, Rows]) -> Rows:
    """Measure the device work that each call of a stage launched, shape (calls,), in nanoseconds.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        What counts, as for `launched`.
    stage : int
        Index in `STAGES`.
    calls : (ndarray of int64, ndarray of int64), shape (calls,)
        Start and end of the calls on the host, sorted by start.
    """
    rows = _counted_work(model, filter_)
    rows = rows[stages_of_device_rows(model)[1][rows] == stage]
    launch = model.column("host", "start_ns")[sources_of_device(model)[rows]]
    call = step_at(*calls, launch)
    rows, call = rows[call >= 0], call[call >= 0]
    start = model.column("device", "start_ns")[rows]
    return covered(call, start, start + model.column("device", "duration_ns")[rows], len(calls[0]))


def has_host_rows(model: TraceModel) -> bool:
    """Return whether there are host rows, without which there are no stages."""
    return bool(model.tables["host"].num_rows)


def has_launches(model: TraceModel) -> bool:
    """Return whether the launching host row of any device work is known."""

    def find() -> bool:
        return bool((work_rows(model) & (sources_of_device(model) >= 0)).any())

    return model.cached("work with launches", find)


def windows(model: TraceModel, filter_: Filter) -> tuple[Rows, Rows, Rows]:
    """Return index, start and end of the steps in the filter's range, cut to it.

    Host times are used: the device may still be busy with the previous step.
    """
    steps = model.steps
    start, end, chosen = steps.host_start_ns, steps.host_end_ns, np.ones(len(steps.number), bool)
    if filter_.steps is not None:
        chosen &= (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
    if filter_.time_us is not None:
        low, high = selection.time_range_ns(filter_.time_us)
        chosen &= ((end > low) & (start < high) | (start == end) & (start == low)) & (low < high)
        start, end = np.maximum(start, low), np.minimum(end, high)
    index = np.flatnonzero(chosen)
    return index, start[index], end[index]


def _stages_at(model: TraceModel, moments: Rows) -> tuple[Rows, Stages]:
    """Return the step index and stage that times on the host fall in.

    Both are -1 outside steps. Stages are int16 to save memory, as there is one per row.
    """
    steps = model.steps
    step = step_at(steps.host_start_ns, steps.host_end_ns, moments)
    starts, ends, stages = model.cached("stages in time", lambda: _sorted_intervals(model))
    found = step_at(starts, ends, moments)
    stage = np.append(stages, np.int16(OTHER)).take(found, mode="wrap")
    stage[step < 0] = -1
    return step, stage


def stages_of_host_rows(model: TraceModel) -> tuple[Rows, Stages]:
    """Return the step index and stage that host rows begin in, shape (host rows,)."""
    return model.cached(
        "stages of host rows", lambda: _stages_at(model, model.column("host", "start_ns"))
    )


def stages_of_device_rows(model: TraceModel) -> tuple[Rows, Stages]:
    """Return the step index and stage that launched device rows, -1 if unknown."""

    def make() -> tuple[Rows, Stages]:
        source = sources_of_device(model)
        step, stage = np.full(len(source), -1, np.int64), np.full(len(source), -1, np.int16)
        known = source >= 0
        start = model.column("host", "start_ns")
        step[known], stage[known] = _stages_at(model, start[source[known]])
        return step, stage

    return model.cached("stages of device rows", make)


def _stage_times(model: TraceModel, filter_: Filter) -> StageTimes:
    rows = filter_.replace(steps=None, time_us=None, devices=None, streams=None, workers=None)
    times = _stage_intervals(model, rows)
    index, start, end = windows(model, filter_) if has_host_rows(model) else (NO_ROWS,) * 3
    host = np.zeros((len(start), len(STAGES)), np.int64)
    for stage, time in times.items():
        host[:, stage] = Coverage.of(time).within(start, end)
    host[:, OTHER] = end - start - host.sum(axis=1)
    return StageTimes(model.steps.number[index], start, end, host)


def _stage_intervals(model: TraceModel, filter_: Filter) -> dict[int, IntervalSet]:
    """Return when each stage ran, without times of stages of higher priority."""
    return latest(model, "time in stages", filter_, lambda: _split_by_priority(model, filter_))


def _split_by_priority(model: TraceModel, filter_: Filter) -> dict[int, IntervalSet]:
    start_of, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
    is_kept = kept_host_rows(model, filter_) if filter_ else None
    claimed = intervals.empty()
    intervals_of: dict[int, IntervalSet] = {}
    claims = [(stage, stage_rows(model)[stage]) for stage in PRIORITY]
    for stage, rows in (*claims, (OPTIMIZATION, closures(model))):
        kept = rows if is_kept is None else rows[is_kept[rows]]
        start = start_of[kept]
        time = intervals.union(start, start + duration[kept])
        own = intervals.subtract(time, claimed)
        intervals_of[stage] = _union(intervals_of.get(stage, intervals.empty()), own)
        claimed = _union(claimed, time)
    return intervals_of


def _union(a: IntervalSet, b: IntervalSet) -> IntervalSet:
    return intervals.union(np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]))


def _sorted_intervals(model: TraceModel) -> tuple[Rows, Rows, Stages]:
    """Return start, end and stage of all stage intervals, sorted by time."""
    intervals_of = _stage_intervals(model, NO_FILTER)
    start, end = (
        np.concatenate([times[side] for times in intervals_of.values()]) for side in (0, 1)
    )
    of = np.array(list(intervals_of), np.int16)
    stage = np.repeat(of, [len(times[0]) for times in intervals_of.values()])
    order = np.argsort(start, kind="stable")
    return start[order], end[order], stage[order]


def _counted_work(model: TraceModel, filter_: Filter) -> Rows:
    """Return the device rows that count for stages."""
    only_kernels = model.capabilities.event_types
    counts = work_of_kind(model, kinds.KERNEL) if only_kernels else work_rows(model)
    step, _ = stages_of_device_rows(model)
    return np.flatnonzero(counts & kept_device_rows(model, filter_) & (step >= 0))


def _launched(model: TraceModel, filter_: Filter) -> Launched:
    rows = _counted_work(model, filter_)
    index, _, _ = windows(model, filter_)
    step, stage = (places[rows] for places in stages_of_device_rows(model))
    place = np.full(len(model.steps.number), -1, np.int64)
    place[index] = np.arange(len(index))
    step = place[step]
    rows, step, stage = rows[step >= 0], step[step >= 0], stage[step >= 0]
    start = model.column("device", "start_ns")[rows]
    order = np.argsort(start, kind="stable")  # once for all that is covered
    rows, step, stage, start = rows[order], step[order], stage[order], start[order]
    end = start + model.column("device", "duration_ns")[rows]
    count, width = len(index), len(STAGES)
    return Launched(
        stages=covered(step * width + stage, start, end, count * width).reshape(count, width),
        steps=covered(step, start, end, count),
        totals=covered(stage, start, end, width),
        whole=intervals.measure(intervals.union(start, end)),
    )
