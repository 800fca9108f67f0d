"""Computation, communication and their overlap in the steps of one rank.

The table is `RANK_STEPS`. For PyTorch it follows the distributed view of the
TensorBoard plugin: computation is time with a kernel running or, in a trace without kernels, time
in operators; communication is that of the table ``steps``, whatever runs at the same time. Host
ranges of device collectives only enqueue them and do not count as communication. Ascend's recorder
sums whole steps itself. For Paddle it follows VisualDL, which also counts the host ranges of
communication.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from nbprof.analysis.devices.device_intervals import device_union
from nbprof.analysis.devices.device_rows import (
    kept_host_rows,
    narrowed,
    without_range,
    work_of_kind,
)
from nbprof.analysis.grouping import us
from nbprof.analysis.kernels.communication import communication_calls, device_communication
from nbprof.analysis.ranks.columns import RANK_STEPS
from nbprof.analysis.steps.breakdown import break_down, times_of_categories
from nbprof.analysis.steps.npu_steps import npu_steps
from nbprof.model import intervals
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel


def rank_steps(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return per step: computation only, overlap, communication only, and other time.

    Parameters
    ----------
    model : TraceModel
        The trace of the rank.
    filter_ : Filter
        Steps and time range cut the steps; all other fields select what counts in them. If the
        recorder summed whole steps, those that begin in the range count.
    """
    if model.capabilities.rank_step_totals:
        return _recorded_steps(model, filter_)
    if not any(model.tables[side].num_rows for side in ("host", "device")):
        # Memory-only recordings have no steps.
        columns = RANK_STEPS
        return make_table(columns, {column.name: [] for column in columns})
    sets = _intervals_with_host if model.capabilities.host_communication else _intervals_of_kernels
    computation, communication = sets(model, without_range(filter_.replace(workers=None)))
    both = intervals.intersect(computation, communication)
    steps = break_down(model, filter_)
    computes, communicates, overlap = (
        intervals.measure_within(one, steps.start_ns, steps.end_ns)
        for one in (computation, communication, both)
    )
    return make_table(
        RANK_STEPS,
        {
            "step": steps.number,
            "averaged": steps.averaged,
            "computation_us": us(computes - overlap),
            "overlapping_us": us(overlap),
            "communication_us": us(communicates - overlap),
            "other_us": us(steps.total_ns - computes - communicates + overlap),
        },
    )


def _intervals_of_kernels(model: TraceModel, rows: Filter) -> tuple[IntervalSet, IntervalSet]:
    times = times_of_categories(model, rows)
    has_kernels = work_of_kind(model, kinds.KERNEL).any()
    return times["kernel" if has_kernels else "cpu_exec"], times["communication"]


def _intervals_with_host(model: TraceModel, rows: Filter) -> tuple[IntervalSet, IntervalSet]:
    """Split steps as VisualDL does: anything inside communication counts as communication only.

    In recordings without kernels, which VisualDL does not show, the host computes, as for PyTorch.
    """
    calls = np.flatnonzero(communication_calls(model) & kept_host_rows(model, rows))
    start = model.column("host", "start_ns")[calls]
    on_host = start, start + model.column("host", "duration_ns")[calls]
    communicates, is_kept = device_communication(model), narrowed(model, rows)
    on_device = device_union(model, is_kept & communicates)
    starts, ends = map(np.concatenate, zip(on_host, on_device, strict=True))
    is_kernel = work_of_kind(model, kinds.KERNEL)
    busy = device_union(model, is_kept & is_kernel & ~communicates)
    if not is_kernel.any():
        busy = times_of_categories(model, rows)["cpu_exec"]
    return busy, intervals.union(starts, ends)


def _recorded_steps(model: TraceModel, filter_: Filter) -> pa.Table:
    """Return the sums over whole steps by the recorder, or from the overlap lanes of its trace."""
    steps = npu_steps(model, filter_)
    return make_table(
        RANK_STEPS,
        {
            "step": steps["step"],
            "averaged": np.ones(steps.num_rows, bool),
            "computation_us": pc.subtract(steps["computing_us"], steps["overlapped_us"]),
            "overlapping_us": steps["overlapped_us"],
            "communication_us": steps["communication_not_overlapped_us"],
            "other_us": steps["free_us"],
        },
    )
