"""Contributions of each step to `device_time` and `device_summary`.

Steps do not overlap, so device times over several steps are sums over single steps. The table
``device_summary`` also includes the gaps between steps: they have contributions of their own, each
stored with the step before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.devices.device_intervals import DeviceSets
from nbprof.analysis.devices.device_rows import devices_in, kept_device_rows, work_of_kind
from nbprof.analysis.devices.occupancy import RunningKernels
from nbprof.analysis.grouping import sums
from nbprof.analysis.kernels.matrix_units import times_by_group
from nbprof.analysis.kernels.npu_cores import ai_core_rows, has_cores, knows_cores
from nbprof.analysis.kernels.npu_kernels import computing_rows
from nbprof.analysis.steps.step_parts import StepParts
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import step_of_device_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Times = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Figures = dict[str, npt.NDArray[Any]]


def device_time_parts(
    model: TraceModel,
    table: pa.Table,  # noqa: ARG001 - as of all tables
    group_by: str,  # noqa: ARG001
    filter_: Filter = NO_FILTER,
) -> StepParts | None:
    """Return the contributions of each step to `device_time`.

    None under a time range: steps that it cuts contribute something else.
    """
    if filter_.time_us is not None:
        return None
    return StepParts(device_time_figures(model, filter_.of_devices))


def device_summary_parts(
    model: TraceModel,
    table: pa.Table,  # noqa: ARG001 - as of all tables
    group_by: str,  # noqa: ARG001
    filter_: Filter = NO_FILTER,
) -> StepParts | None:
    """Return the contributions of each step to `device_summary`.

    None under a time range, and where its figures refer to the steps on the host.
    """
    if filter_.time_us is not None or model.capabilities.host_step_shares:
        return None
    return StepParts(device_summary_figures(model, filter_.of_devices))


def device_time_figures(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the figures of `device_time` for each step and device, in whole nanoseconds.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        The filter of the table, without steps and time range.

    Returns
    -------
    pyarrow.Table
        Columns step (its number), row (of the table), total, computation, communication,
        exposed_communication, memcpy and exposed_memcpy.
    """
    low, high = model.steps.start_ns, model.steps.end_ns
    names = ("computation", "communication", "exposed_communication", "memcpy", "exposed_memcpy")
    measured = {name: _within(model, filter_, name, low, high) for name in names}
    return _figures_of_devices(model, filter_, {"total": high - low, **measured})


def device_summary_figures(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the figures of `device_summary` for each step, the gap after it, and device.

    Parameters are those of `device_time_figures`.

    Returns
    -------
    pyarrow.Table
        Columns step (its number), index (its position), complete (1 or 0) and row (of the table).
        For the step, and with the prefix ``gap_`` for the gap: length, kernels and work
        (nanoseconds), blocks (share of multiprocessors in use times nanoseconds), occupancy,
        occupancy_weight and occupancy_unknown (nanoseconds of kernels with a known and an unknown
        one). For the step alone: kernel_time (nanoseconds of the kernels launched in it), tensor
        and tensor_unknown (of those on matrix units, and of those for which this is unknown); on an
        NPU whose cores are known, ai_core and computing_time (without communication) instead of
        these two.
    """
    low, high = model.steps.start_ns, model.steps.end_ns
    after = np.append(low[1:], high[-1:])
    gap = _activity(model, filter_, high, np.maximum(after, high))
    figures = {
        **_activity(model, filter_, low, high),
        **{f"gap_{name}": values for name, values in gap.items()},
        **_matrix_times(model, filter_),
    }
    return _figures_of_devices(model, filter_, figures)


def _matrix_times(model: TraceModel, filter_: Filter) -> Figures:
    """Return the time of kernels by device and step, and the part on matrix units or AI Cores."""
    if has_cores(model) and not knows_cores(model):
        return {}
    steps, devices = len(model.steps.number), devices_in(model, filter_)
    step_of = step_of_device_rows(model).astype(np.int64)
    is_kept = kept_device_rows(model, filter_) & work_of_kind(model, kinds.KERNEL)
    rows = np.flatnonzero(is_kept & (step_of >= 0))
    device = np.searchsorted(devices, model.column("device", "device")[rows])
    group, groups = device * steps + step_of[rows], len(devices) * steps
    if not has_cores(model):
        parts = times_by_group(model, rows, group, groups)
        times = {
            "kernel_time": parts["total"],
            "tensor": parts["used"],
            "tensor_unknown": parts["unknown"],
        }
    else:
        time = model.column("device", "duration_ns")[rows].astype(np.float64)
        computes = computing_rows(model)[rows]
        used = np.where(computes & ai_core_rows(model)[rows], time, 0.0)
        computing = np.where(computes, time, 0.0)
        times = {
            "ai_core": sums(group, used, groups),
            "computing_time": sums(group, computing, groups),
        }
    return {name: values.reshape(len(devices), steps) for name, values in times.items()}


def _activity(model: TraceModel, filter_: Filter, low: Times, high: Times) -> Figures:
    """Return the activity of each device in consecutive windows, shape (devices, windows)."""
    running = RunningKernels.of_devices(model, filter_)
    shape = len(running), len(low)
    blocks, top, known, unknown = (np.zeros(shape) for _ in range(4))
    for at, one in enumerate(running):
        if len(one.times):
            blocks[at] = _blocks_integral(one, high) - _blocks_integral(one, low)
        if len(one.start):
            top[at], known[at], unknown[at] = _occupancy(one, low, high)
    return {
        "length": high - low,
        "kernels": _within(model, filter_, "kernels", low, high),
        "work": _within(model, filter_, "work", low, high),
        "blocks": blocks,
        "occupancy": top,
        "occupancy_weight": known,
        "occupancy_unknown": unknown,
    }


def _within(
    model: TraceModel, filter_: Filter, name: str, low: Times, high: Times
) -> npt.NDArray[np.int64]:
    """Return how much of a kind of work lies in windows, shape (devices, windows)."""
    found = [sets.within(name, low, high) for sets in DeviceSets.of(model, filter_)]
    return np.concatenate([np.empty((0, len(low)), np.int64), *found])


def _blocks_integral(running: RunningKernels, times: Times) -> Floats:
    """Return the integral of the fraction of multiprocessors in use up to given times."""
    start = running.times[0]
    at = (running.times - start).astype(np.float64)
    level = running.level[: len(at)]
    before = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(at))])
    wanted = np.maximum(times - start, 0).astype(np.float64)
    change = np.maximum(np.searchsorted(at, wanted, side="right") - 1, 0)
    integral: Floats = before[change] + level[change] * (wanted - at[change])
    return integral


def _occupancy(running: RunningKernels, low: Times, high: Times) -> tuple[Floats, ...]:
    """Return occupancy times nanoseconds, and nanoseconds with a known and an unknown occupancy.

    Each is an array of shape (windows,); windows are consecutive.
    """
    first = np.searchsorted(high, running.start, side="right")
    last = np.searchsorted(low, running.end, side="left")
    count = np.maximum(last - first, 0)
    of = np.repeat(np.arange(len(count)), count)
    window = np.arange(len(of)) - np.repeat(np.cumsum(count) - count - first, count)
    inside = np.minimum(running.end[of], high[window]) - np.maximum(running.start[of], low[window])
    weight = np.maximum(inside, 0).astype(np.float64)
    percent, windows = running.percent[of], len(low)
    known = np.isfinite(percent)
    top = sums(window[known], (percent * weight)[known], windows)
    rated = sums(window[known], weight[known], windows)
    return top, rated, sums(window[~known], weight[~known], windows)


def _figures_of_devices(model: TraceModel, filter_: Filter, figures: Figures) -> pa.Table:
    """Return the figures of every step for each device, one device after the other.

    Parameters
    ----------
    model, filter_ : TraceModel, Filter
        The trace, and which devices.
    figures : dict of str to ndarray
        Shape (devices, steps), or (steps,) if they are those of all devices.
    """
    steps = model.steps
    count = len(devices_in(model, filter_))
    if not count:
        return table_of({"step": arrow_array([], pa.int64()), "row": arrow_array([], pa.int32())})
    shape = count, len(steps.number)
    data: dict[str, Any] = {
        "step": arrow_array(np.tile(steps.number, count), pa.int64()),
        "row": arrow_array(np.repeat(np.arange(count), shape[1]), pa.int32()),
        "index": np.tile(np.arange(shape[1], dtype=np.float64), count),
        "complete": np.tile(steps.complete.astype(np.float64), count),
    }
    for name, values in figures.items():
        data[name] = np.broadcast_to(np.asarray(values, np.float64), shape).ravel()
    return table_of(data)
