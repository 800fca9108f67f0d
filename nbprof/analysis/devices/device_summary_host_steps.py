"""Rows of `device_summary` for Paddle's traces, by the definitions of Paddle's own tools.

A kernel counts in full if it was launched in a step or, if its launch was not recorded, if it
started in one. Shares refer to the time of the steps on the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_intervals import times_of
from nbprof.analysis.devices.device_rows import (
    devices_in,
    kept_device_rows,
    work_of_kind,
    work_rows,
)
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy, occupancy_columns
from nbprof.analysis.grouping import share
from nbprof.analysis.kernels.matrix_units import Shares
from nbprof.analysis.steps.stage_times import stages_of_device_rows, windows
from nbprof.model import intervals
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.lookup import rows_of_values
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def cpu(model: TraceModel) -> dict[str, Any]:
    """Return the row of the CPU, with its recorded utilization."""
    recorded = {name: model.metadata.get(name) for name in ("process_cpu_pct", "system_cpu_pct")}
    return {"device_type": "cpu", **recorded}


def activity(model: TraceModel, filter_: Filter) -> dict[int, dict[str, float | None]]:
    """Return the utilization of each device, by device number.

    Concurrent kernels count once in the utilization but separately in the estimate of
    multiprocessors in use, which may therefore exceed 100 %.
    """
    _, start, end = windows(model, filter_)
    whole = int((end - start).sum())
    counts = work_rows(model) & kept_device_rows(model, filter_) & _work_in_steps(model)
    counted = np.flatnonzero(counts)
    places = rows_of_values(model.column("device", "device")[counted])
    none = counted[:0]
    is_kernel = work_of_kind(model, kinds.KERNEL)
    intervals_of = {}
    for number in devices_in(model, filter_):
        work = counted[places[number]] if number in places else none
        kernels = work[is_kernel[work]]
        busy = intervals.measure(intervals.union(*times_of(model, work)))
        running = intervals.measure(intervals.union(*times_of(model, kernels)))
        intervals_of[number] = {
            "utilization_pct": share(running, whole),
            "idle_pct": share(max(whole - busy, 0), whole),
            **_kernel_figures(model, kernels, whole),
        }
    return intervals_of


def _work_in_steps(model: TraceModel) -> Mask:
    """Return which device rows belong to a step, shape (device rows,)."""
    step, _ = stages_of_device_rows(model)
    own = step_at(model.steps.start_ns, model.steps.end_ns, model.column("device", "start_ns"))
    return np.where(sources_of_device(model) >= 0, step, own) >= 0


def _kernel_figures(model: TraceModel, kernels: Rows, whole: int) -> dict[str, float | None]:
    time = model.column("device", "duration_ns")[kernels]
    blocks, occupancy = model.column("device", "blocks_per_sm")[kernels], KernelOccupancy.of(model)
    has_blocks = np.isfinite(blocks)
    in_use = float(np.minimum(blocks[has_blocks], 1.0) @ time[has_blocks].astype(np.float64))
    return {
        "sm_efficiency_pct": share(in_use, whole) if has_blocks.any() else None,
        **occupancy_columns(occupancy.percent[kernels], time * occupancy.recorded),
        **Shares.of(model, kernels).columns,
    }
