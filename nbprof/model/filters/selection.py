"""Applies a `Filter` to a trace: returns row masks and time windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import intervals
from nbprof.model.filters.filter import only_range
from nbprof.model.filters.patterns import match_names
from nbprof.model.filters.within import Within
from nbprof.model.names.roles import rows_of_kinds
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]
Times = npt.NDArray[np.int64]
#: Indices of steps, -1 for none; int32, since every row has one.
StepIndices = npt.NDArray[np.int32]

#: Times at and beyond this mean an open end of a range.
_FAR = 2**61

#: Steps count as annotations, which they are in the file; so do the parts of operators. Calls of
#: libraries and the operating system count as calls of the runtime.
_HOST_KIND_CODES = {
    "operator": (kinds.OPERATOR,),
    "annotation": (kinds.ANNOTATION, kinds.STEP, kinds.PHASE),
    "runtime": (kinds.RUNTIME, kinds.LIBRARY),
    "python": (kinds.PYTHON,),
    "module": (kinds.MODULE,),
}
_DEVICE_KIND_CODES = {
    "annotation": (kinds.DEVICE_ANNOTATION,),
    "kernel": (kinds.KERNEL,),
    "memcpy": (kinds.MEMCPY,),
    "memset": (kinds.MEMSET,),
}


def host_rows(model: TraceModel, filter_: Filter) -> Mask:
    """Return which host rows the filter keeps, shape (host rows,).

    A row is in a range if its start is. The range of a step is that recorded on the host, since
    the host runs ahead of the device. Devices and streams do not select host rows.
    """
    keep = host_rows_in_range(model, filter_)
    if filter_.name is not None:
        keep = keep & _rows_named(model, "host", filter_.name)
    if filter_.kinds is not None:
        codes = [code for kind in filter_.kinds for code in _HOST_KIND_CODES.get(kind, ())]
        keep = keep & rows_of_kinds(model, "host", *codes)
    if filter_.threads is not None:
        keep = keep & _on_threads(model, filter_.threads).take(model.column("host", "thread"))
    if filter_.within is not None:
        keep = keep & Within.of(model, filter_.within).host
    return keep


def host_rows_in_range(model: TraceModel, filter_: Filter) -> Mask:
    """Return which host rows start in the filter's steps and time range."""
    start = model.column("host", "start_ns")
    return _in_range(model, filter_, start, lambda: _step_of_host(model))


def _times_in_range(model: TraceModel, filter_: Filter, time_ns: npt.NDArray[np.int64]) -> Mask:
    """Return which times on the host lie in the filter's steps and time range."""
    return _in_range(model, filter_, time_ns, lambda: _host_step_at(model, time_ns))


def holds_events(model: TraceModel, filter_: Filter) -> bool:
    """Return whether any event lies in the steps and the time range of a filter.

    Device work that runs in the filter's range counts, wherever it was launched, because tables
    of time windows include it.
    """
    filter_ = only_range(filter_)
    if not filter_:
        return True
    kept = (host_rows, device_rows, memory_records)
    if any(bool(rows(model, filter_).any()) for rows in kept):
        return True
    covered = window(model, filter_)
    if covered is None:
        return False
    start = model.column("device", "start_ns")
    runs = intervals.union(start, start + model.column("device", "duration_ns"))
    return intervals.measure(intervals.intersect(runs, covered)) > 0


def memory_records(model: TraceModel, filter_: Filter) -> Mask:
    """Return which memory records the filter keeps, ignoring their operators, shape (records,).

    `nbprof.analysis.memory.records.kept_records` applies ``within``, as it knows the slice of each
    record. Records are on the host: steps are those recorded there, and there are no streams.
    """
    keep = _times_in_range(model, filter_, model.column("memory", "time_ns"))
    if filter_.kinds is not None and "memory" not in filter_.kinds:
        keep = np.zeros(len(keep), bool)
    if filter_.threads is not None:
        threads = np.flatnonzero(_on_threads(model, filter_.threads))
        keep = keep & np.isin(model.column("memory", "thread"), threads)
    return keep


def device_rows(model: TraceModel, filter_: Filter) -> Mask:
    """Return which device rows the filter keeps, shape (device rows,).

    A row is in a range if its launch starts there or, if that is unknown, the row itself.
    Threads and ``within`` apply to the launch, see `Within`.
    """
    keep = device_rows_placed(model, filter_)
    if filter_.name is not None:
        keep = keep & _rows_named(model, "device", filter_.name)
    return keep


def device_rows_placed(model: TraceModel, filter_: Filter) -> Mask:
    """Return which device rows the filter keeps, ignoring its name.

    Tables of operators apply the name to operators, and count everything these launched.
    """
    launch = model.links.launch
    known = launch >= 0
    keep = np.ones(len(launch), bool)
    if filter_.steps is not None or filter_.time_us is not None:
        moment = _launch_times(model)
        keep = _in_range(model, filter_, moment, lambda: step_of_device_rows(model))
    if filter_.kinds is not None:
        codes = [code for kind in filter_.kinds for code in _DEVICE_KIND_CODES.get(kind, ())]
        keep = keep & rows_of_kinds(model, "device", *codes)
    if filter_.threads is not None:
        on = np.zeros(len(launch), bool)
        launch_thread = model.column("host", "thread")[launch[known]]
        on[known] = _on_threads(model, filter_.threads)[launch_thread]
        keep = keep & on
    if filter_.devices is not None:
        keep = keep & np.isin(model.column("device", "device"), filter_.devices)
    if filter_.streams is not None:
        keep = keep & np.isin(model.column("device", "stream"), filter_.streams)
    if filter_.within is not None:
        keep = keep & Within.of(model, filter_.within).device
    return keep


def window(model: TraceModel, filter_: Filter) -> IntervalSet | None:
    """Return the time that the filter's range covers, None without a range.

    Steps are extended over the device work that they launched. Open ends of a time range are those
    of the recording.
    """
    covered: IntervalSet | None = None
    if filter_.steps is not None:
        steps = model.steps
        chosen = (steps.number >= filter_.steps[0]) & (steps.number <= filter_.steps[1])
        covered = intervals.union(steps.start_ns[chosen], steps.end_ns[chosen])
    if filter_.time_us is not None:
        low, high = time_range_ns(filter_.time_us)
        low = 0 if low <= -_FAR else low
        high = int(model.metadata.get("end_ns", 0)) if high >= _FAR else high
        span = np.array([low], np.int64), np.array([high], np.int64)
        if covered is None:
            return intervals.union(*span)
        covered = intervals.intersect(covered, intervals.union(*span))
    return covered


def time_range_ns(time_us: tuple[float, float]) -> tuple[int, int]:
    """Convert a range in microseconds to whole nanoseconds, clipped to int64."""
    low, high = (max(-_FAR, min(_FAR, t * 1000.0)) for t in time_us)
    return round(low), round(high)


def _in_range(
    model: TraceModel, filter_: Filter, time_ns: Times, step: Callable[[], StepIndices]
) -> Mask:
    """Return which rows are in the filter's range, by their times and their steps."""
    keep = np.ones(len(time_ns), bool)
    if filter_.steps is not None:
        number = model.steps.number
        chosen = (number >= filter_.steps[0]) & (number <= filter_.steps[1])
        # The last element is for rows in no step, whose index is -1.
        keep = np.append(chosen, False).take(step(), mode="wrap")
    if filter_.time_us is not None:
        low, high = time_range_ns(filter_.time_us)
        keep = keep & (time_ns >= low) & (time_ns < high)
    return keep


def _host_step_at(model: TraceModel, time_ns: Times) -> StepIndices:
    steps = model.steps
    return step_at(steps.host_start_ns, steps.host_end_ns, time_ns).astype(np.int32)


def _step_of_host(model: TraceModel) -> StepIndices:
    start = model.column("host", "start_ns")
    return model.cached("steps of host rows", lambda: _host_step_at(model, start))


def step_of_host_rows(model: TraceModel) -> StepIndices:
    """Return the index of the step in which every host row starts, -1 for none."""
    return _step_of_host(model)


def step_of_device_rows(model: TraceModel) -> StepIndices:
    """Return the index of the step of every device row, -1 for none, shape (device rows,).

    It is the step of the launch; without a launch, the step in which the row ran. For kernels on an
    NPU without a launch, it is the step that the recorder gave.
    """

    def make() -> StepIndices:
        steps = model.steps
        ran = step_at(steps.start_ns, steps.end_ns, model.column("device", "start_ns"))
        if model.tables["npu_kernels"].num_rows:
            ran = np.where((recorded := _recorded_step(model)) >= 0, recorded, ran)
        launched = _host_step_at(model, _launch_times(model))
        return np.where(model.links.launch >= 0, launched, ran.astype(np.int32))

    return model.cached("steps of device rows", make)


def _recorded_step(model: TraceModel) -> Times:
    """Return the index of the step that the recorder gave each device row, -1 for none."""
    number = model.steps.number
    order = np.argsort(number, kind="stable")
    recorded = model.column("npu_kernels", "step")
    place = np.minimum(np.searchsorted(number[order], recorded), len(order) - 1)
    step = np.full(model.tables["device"].num_rows, -1, np.int64)
    hit = (number[order][place] == recorded) & (recorded >= 0)
    step[model.column("npu_kernels", "row")[hit]] = order[place[hit]]
    return step


def _launch_times(model: TraceModel) -> Times:
    """Return when each device row was launched or, without a launch, when it ran."""

    def make() -> Times:
        launch = model.links.launch
        moment = model.column("device", "start_ns").copy()
        moment[launch >= 0] = model.column("host", "start_ns")[launch[launch >= 0]]
        return moment

    return model.cached("moments of device rows", make)


def _matching_names(model: TraceModel, table: str, name: str) -> Mask:
    """Return which distinct names of a table match a filter, as shown or as recorded.

    Parameters
    ----------
    model : TraceModel
        The trace.
    table : {"host", "device"}
        The table.
    name : str
        As in `Filter.name`.
    """
    matches = match_names(model.values(table, "name"), name)
    others = model.recorded_names(table)
    matches[list(others)] |= match_names([*others.values()], name)
    return matches


def _rows_named(model: TraceModel, table: str, name: str) -> Mask:
    matches = _matching_names(model, table, name)
    codes = model.column(table, "name")
    # The last element is for rows without a name, whose code is -1.
    return np.append(matches, False).take(codes, mode="wrap")


def _on_threads(model: TraceModel, tids: tuple[int, ...]) -> Mask:
    return np.isin(model.column("threads", "tid"), tids)
