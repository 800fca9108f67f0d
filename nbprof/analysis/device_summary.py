"""Table `device_summary`: what each device is and how busy the steps kept it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.breakdown import break_down
from nbprof.analysis.device_rows import (
    device_type,
    devices_in,
    kept_device_rows,
    narrowed,
    work_of_kind,
    work_rows,
)
from nbprof.analysis.grouping import latest, share
from nbprof.analysis.tensor_cores import tensor_core_rows
from nbprof.model import contract, intervals, kinds
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.table import make_table

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace_model import TraceModel

Mask = npt.NDArray[np.bool_]
GIB = 1024**3


def device_summary(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per device that did any work.

    Shares of time are over the span from the first to the last complete step inside the filter's
    range, gaps between steps included; the tensor core share is over whole kernels, as in
    `kernels`. The definitions are those of the PyTorch TensorBoard plugin.
    """
    return latest(model, "device_summary", filter_, lambda: _device_summary(model, filter_))


def _device_summary(model: TraceModel, filter_: Filter) -> pa.Table:
    window = break_down(model, filter_).window()
    rows = narrowed(model, filter_)
    whole = kept_device_rows(model, filter_) & work_of_kind(model, kinds.KERNEL)
    device = model.column("device", "device")
    records = []
    for number in devices_in(model, filter_):
        here = device == number
        records.append(
            {
                "device_type": device_type(model),
                "device": number,
                **_properties(model, number),
                **_activity(model, rows & here, window),
                "tensor_core_pct": _tensor_core_share(model, whole & here),
            }
        )
    names = [column.name for column in contract.DEVICE_SUMMARY]
    return make_table(contract.DEVICE_SUMMARY, {name: [r[name] for r in records] for name in names})


def _properties(model: TraceModel, number: int) -> dict[str, Any]:
    """Return what the file says about a device, by its id and not by its place in the list."""
    known = model.tables["devices"].to_pylist()
    found = next((row for row in known if row["device"] == number), None)
    if found is None:
        return {"name": None, "memory_gb": None, "compute_capability": None}
    memory, major, minor = found["memory_bytes"], found["compute_major"], found["compute_minor"]
    return {
        "name": found["name"] or None,
        "memory_gb": memory / GIB if memory is not None and memory >= 0 else None,
        "compute_capability": f"{major}.{minor}" if major is not None and major >= 0 else None,
    }


def _activity(model: TraceModel, rows: Mask, window: IntervalSet) -> dict[str, float | None]:
    length = intervals.measure(window)
    kernels = rows & work_of_kind(model, kinds.KERNEL)
    start, end = _times(model, kernels)
    busy = intervals.intersect(intervals.union(*_times(model, rows)), window)
    running = intervals.intersect(intervals.union(start, end), window)
    return {
        "utilization_pct": share(intervals.measure(running), length),
        "sm_efficiency_pct": _sm_efficiency(model, kernels, window, length),
        "occupancy_pct": _occupancy(model, kernels, window),
        "idle_pct": share(length - intervals.measure(busy), length),
    }


def _sm_efficiency(
    model: TraceModel, kernels: Mask, window: IntervalSet, length: int
) -> float | None:
    """Integrate min(1, blocks per SM of all kernels that run) over the window."""
    blocks = model.column("device", "blocks_per_sm")
    with np.errstate(invalid="ignore"):
        present = work_rows(model) & (blocks > 0)
    if not present.any() or not length:
        return None
    kernels = kernels & present
    start, end = _times(model, kernels)
    times = np.concatenate([start, end])
    order = np.argsort(times, kind="stable")
    change = np.concatenate([blocks[kernels], -blocks[kernels]])[order]
    times = times[order]
    level = np.minimum(np.cumsum(change)[:-1], 1.0)
    inside = intervals.measure_within(window, times[:-1], times[1:])
    return share(float(level @ inside), length)


def _occupancy(model: TraceModel, kernels: Mask, window: IntervalSet) -> float | None:
    """Mean over kernels, weighted by their time inside the window; 0 is a value."""
    occupancy = model.column("device", "occupancy_pct")
    with np.errstate(invalid="ignore"):
        kernels = kernels & (occupancy >= 0)
    weight = intervals.measure_within(window, *_times(model, kernels))
    total = int(weight.sum())
    return float(occupancy[kernels] @ weight) / total if total else None


def _tensor_core_share(model: TraceModel, kernels: Mask) -> float | None:
    duration = model.column("device", "duration_ns")
    used = int(duration[kernels & tensor_core_rows(model)].sum())
    return share(used, int(duration[kernels].sum()))


def _times(model: TraceModel, rows: Mask) -> IntervalSet:
    start = model.column("device", "start_ns")[rows]
    return start, start + model.column("device", "duration_ns")[rows]
