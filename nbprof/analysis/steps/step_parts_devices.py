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
from nbprof.analysis.devices.occupancy import Running
from nbprof.analysis.grouping import sums
from nbprof.analysis.kernels.matrix_units import times_by_group
from nbprof.analysis.kernels.npu_cores import ai_core_rows, has_cores, knows_cores
from nbprof.analysis.kernels.npu_kernels import computing_rows
from nbprof.analysis.steps.step_parts import StepParts
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import step_of_device_rows

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Times = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
    found = []
    for row, device in enumerate(devices_in(model, filter_)):
        sets = DeviceSets.of(model, filter_, device)
        measured = {
            "total": high - low,
            "computation": sets.computation.within(low, high),
            "communication": sets.communication.within(low, high),
            "exposed_communication": sets.exposed_communication.within(low, high),
            "memcpy": sets.memcpy.within(low, high),
            "exposed_memcpy": sets.exposed_memcpy.within(low, high),
        }
        found.append(_table(model, row, measured))
    return _joined(found)


def device_summary_figures(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the figures of `device_summary` for each step, the gap after it, and device.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        The filter of the table, without steps and time range.

    Returns
    -------
    pyarrow.Table
        Columns step (its number), index (its place), complete (1 or 0), row (of the table), and of
        the step and, with ``gap_`` before, of
        the gap: length, kernels and work (nanoseconds), blocks (share of multiprocessors in use
        times nanoseconds), occupancy and occupancy_weight; of the step alone kernel_time
        (nanoseconds of the kernels that were launched in it), tensor and tensor_unknown (those on
        matrix units, and those of which that is unknown), on an NPU whose cores are known instead
        of these ai_core and computing_time (those of communication apart).
    """
    low, high = model.steps.start_ns, model.steps.end_ns
    after = np.append(low[1:], high[-1:])
    kept = kept_device_rows(model, filter_)
    step_of = step_of_device_rows(model).astype(np.int64)
    found = []
    for row, device in enumerate(devices_in(model, filter_)):
        own = _busy(model, filter_, device, low, high)
        gap = _busy(model, filter_, device, high, np.maximum(after, high))
        kernels = kernels_of_device(model, device)
        kernels = kernels[kept[kernels] & (step_of[kernels] >= 0)]
        measured = {
            **own,
            **{f"gap_{name}": values for name, values in gap.items()},
            **_on_cores(model, kernels, step_of[kernels], len(low)),
        }
        found.append(_table(model, row, measured))
    return _joined(found)


def _on_cores(model: TraceModel, kernels: Times, step: Times, steps: int) -> dict[str, Floats]:
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


def _busy(
    model: TraceModel, filter_: Filter, device: int, low: Times, high: Times
) -> dict[str, npt.NDArray[Any]]:
    sets = DeviceSets.of(model, filter_, device)
    running = Running.of(model, filter_, device)
    top, weight = _occupancy(running, low, high)
    return {
        "length": high - low,
        "kernels": sets.kernels.within(low, high),
        "work": sets.work.within(low, high),
        "blocks": _in_use(running, high) - _in_use(running, low),
        "occupancy": top,
        "occupancy_weight": weight,
    }


def _in_use(running: Running, times: Times) -> Floats:
    """Return the integral of the fraction of multiprocessors in use up to given times."""
    if not len(running.times):
        return np.zeros(len(times))
    start = running.times[0]
    at = (running.times - start).astype(np.float64)
    level = running.level[: len(at)]
    before = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(at))])
    wanted = np.maximum(times - start, 0).astype(np.float64)
    place = np.maximum(np.searchsorted(at, wanted, side="right") - 1, 0)
    found: Floats = before[place] + level[place] * (wanted - at[place])
    return found


def _occupancy(running: Running, low: Times, high: Times) -> tuple[Floats, Floats]:
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


def _table(model: TraceModel, row: int, measured: dict[str, npt.NDArray[Any]]) -> pa.Table:
    steps = model.steps
    count = len(steps.number)
    data: dict[str, Any] = {
        "step": arrow_array(steps.number, pa.int64()),
        "row": arrow_array(np.full(count, row), pa.int32()),
        "index": np.arange(count, dtype=np.float64),
        "complete": steps.complete.astype(np.float64),
    }
    return table_of(data | {name: np.asarray(v, np.float64) for name, v in measured.items()})


def _joined(found: list[pa.Table]) -> pa.Table:
    none = table_of({"step": arrow_array([], pa.int64()), "row": arrow_array([], pa.int32())})
    return pa.concat_tables(found) if found else none
