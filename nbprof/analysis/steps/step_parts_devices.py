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

from nbprof.analysis.devices.device_intervals import DeviceSets, kernels_of_device
from nbprof.analysis.devices.device_rows import devices_in, kept_device_rows
from nbprof.analysis.devices.occupancy import RunningKernels
from nbprof.analysis.grouping import sums
from nbprof.analysis.kernels.matrix_units import times_by_group
from nbprof.analysis.kernels.npu_cores import ai_core_rows, has_cores, knows_cores
from nbprof.analysis.kernels.npu_kernels import computing_rows
from nbprof.analysis.steps.step_parts import StepParts
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import step_of_device_rows

if TYPE_CHECKING:
    from collections.abc import Callable

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
    return None if filter_.time_us is not None else StepParts(device_time_figures(model, filter_))


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
    return StepParts(device_summary_figures(model, filter_))


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

    def figures(device: int) -> Figures:
        sets = DeviceSets.of(model, filter_, device)
        return {
            "total": high - low,
            "computation": sets.computation.within(low, high),
            "communication": sets.communication.within(low, high),
            "exposed_communication": sets.exposed_communication.within(low, high),
            "memcpy": sets.memcpy.within(low, high),
            "exposed_memcpy": sets.exposed_memcpy.within(low, high),
        }

    return _figures_of_devices(model, filter_, figures)


def device_summary_figures(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the figures of `device_summary` for each step, the gap after it, and device.

    Parameters are those of `device_time_figures`.

    Returns
    -------
    pyarrow.Table
        Columns step (its number), index (its position), complete (1 or 0) and row (of the table).
        For the step, and with the prefix ``gap_`` for the gap: length, kernels and work
        (nanoseconds), blocks (share of multiprocessors in use times nanoseconds), occupancy and
        occupancy_weight. For the step alone: kernel_time (nanoseconds of the kernels launched in
        it), tensor and tensor_unknown (of those on matrix units, and of those for which this is
        unknown); on an NPU whose cores are known, ai_core and computing_time (without
        communication) instead of these two.
    """
    low, high = model.steps.start_ns, model.steps.end_ns
    after = np.append(low[1:], high[-1:])
    is_kept = kept_device_rows(model, filter_)
    step_of = step_of_device_rows(model).astype(np.int64)

    def figures(device: int) -> Figures:
        own = _activity(model, filter_, device, low, high)
        gap = _activity(model, filter_, device, high, np.maximum(after, high))
        kernels = kernels_of_device(model, device)
        kernels = kernels[is_kept[kernels] & (step_of[kernels] >= 0)]
        return {
            **own,
            **{f"gap_{name}": values for name, values in gap.items()},
            **_matrix_times(model, kernels, step_of[kernels], len(low)),
        }

    return _figures_of_devices(model, filter_, figures)


def _matrix_times(model: TraceModel, kernels: Times, step: Times, steps: int) -> dict[str, Floats]:
    """Return the time of kernels by step, and the part on matrix units or AI Cores."""
    if not has_cores(model):
        parts = times_by_group(model, kernels, step, steps)
        return {
            "kernel_time": parts["total"],
            "tensor": parts["used"],
            "tensor_unknown": parts["unknown"],
        }
    if not knows_cores(model):
        return {}
    time = model.column("device", "duration_ns")[kernels].astype(np.float64)
    computes = computing_rows(model)[kernels]
    used = np.where(computes & ai_core_rows(model)[kernels], time, 0.0)
    computing = np.where(computes, time, 0.0)
    return {"ai_core": sums(step, used, steps), "computing_time": sums(step, computing, steps)}


def _activity(model: TraceModel, filter_: Filter, device: int, low: Times, high: Times) -> Figures:
    """Return the activity of a device in consecutive windows."""
    sets = DeviceSets.of(model, filter_, device)
    running = RunningKernels.of(model, filter_, device)
    top, weight = _occupancy(running, low, high)
    return {
        "length": high - low,
        "kernels": sets.kernels.within(low, high),
        "work": sets.work.within(low, high),
        "blocks": _blocks_integral(running, high) - _blocks_integral(running, low),
        "occupancy": top,
        "occupancy_weight": weight,
    }


def _blocks_integral(running: RunningKernels, times: Times) -> Floats:
    """Return the integral of the fraction of multiprocessors in use up to given times."""
    if not len(running.times):
        return np.zeros(len(times))
    start = running.times[0]
    at = (running.times - start).astype(np.float64)
    level = running.level[: len(at)]
    before = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(at))])
    wanted = np.maximum(times - start, 0).astype(np.float64)
    change = np.maximum(np.searchsorted(at, wanted, side="right") - 1, 0)
    integral: Floats = before[change] + level[change] * (wanted - at[change])
    return integral


def _occupancy(running: RunningKernels, low: Times, high: Times) -> tuple[Floats, Floats]:
    """Return occupancy times nanoseconds, and nanoseconds, of consecutive windows."""
    first = np.searchsorted(high, running.start, side="right")
    last = np.searchsorted(low, running.end, side="left")
    count = np.maximum(last - first, 0)
    of = np.repeat(np.arange(len(count)), count)
    window = np.arange(len(of)) - np.repeat(np.cumsum(count) - count - first, count)
    inside = np.minimum(running.end[of], high[window]) - np.maximum(running.start[of], low[window])
    weight = np.maximum(inside, 0).astype(np.float64)
    windows = len(low)
    return sums(window, running.percent[of] * weight, windows), sums(window, weight, windows)


def _figures_of_devices(
    model: TraceModel, filter_: Filter, figures: Callable[[int], Figures]
) -> pa.Table:
    """Return the figures of every step for each device, one device after the other."""
    steps = model.steps
    count = len(steps.number)
    tables = [table_of({"step": arrow_array([], pa.int64()), "row": arrow_array([], pa.int32())})]
    for row, device in enumerate(devices_in(model, filter_)):
        data: dict[str, Any] = {
            "step": arrow_array(steps.number, pa.int64()),
            "row": arrow_array(np.full(count, row), pa.int32()),
            "index": np.arange(count, dtype=np.float64),
            "complete": steps.complete.astype(np.float64),
        }
        data |= {name: np.asarray(v, np.float64) for name, v in figures(device).items()}
        tables.append(table_of(data))
    return pa.concat_tables(tables[1:] or tables)
