"""The expert rules of ``nsys analyze`` about devices: long gaps, and times of little work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_device_rows, work_rows
from nbprof.analysis.grouping import us
from nbprof.model.contract.columns import Columns, count, pct, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.intervals import IntervalSet, measure_within, union
from nbprof.model.lookup import rows_of_values

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

GAPS: Final[Columns] = (
    count("device", "Number of the device."),
    time("start_us", "End of the work before the gap."),
    time("duration_us", "Time without any work."),
)
UTILIZATION: Final[Columns] = (
    count("device", "Number of the device."),
    count("chunk", "Number of the chunk, from 1."),
    time("start_us", "Start of the chunk."),
    time("duration_us", "Time of the chunk."),
    pct("utilization_pct", "Share of the chunk in which the device worked."),
)
_NS_PER_MS: Final = 1e6


def _busy(model: TraceModel, filter_: Filter) -> dict[int, IntervalSet]:
    """Return when each device worked, by its number."""
    rows = np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_))
    start = model.column("device", "start_ns")[rows]
    end = start + model.column("device", "duration_ns")[rows]
    of_devices = rows_of_values(model.column("device", "device")[rows])
    return {number: union(start[own], end[own]) for number, own in of_devices.items()}


def _gpu_gaps(
    model: TraceModel, filter_: Filter = NO_FILTER, *, least_ms: float = 500.0
) -> pa.Table:
    """Return the times without work between the first and the last work of each device."""
    rows: list[tuple[int, int, int]] = []
    for number, busy in _busy(model, filter_).items():
        length = busy[0][1:] - busy[1][:-1]
        long = np.flatnonzero(length >= least_ms * _NS_PER_MS).tolist()
        rows += [(number, int(busy[1][at]), int(length[at])) for at in long]
    rows.sort(key=lambda row: -row[2])
    device, start, length = np.array(rows, np.int64).reshape(-1, 3).T
    return make_table(GAPS, {"device": device, "start_us": us(start), "duration_us": us(length)})


def _gpu_time_util(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    chunks: int = 30,
    below_pct: float = 50.0,
) -> pa.Table:
    """Return the parts of the time of each device in which it worked little.

    The time from its first to its last work is divided into chunks of equal length.
    """
    found: dict[str, list[Any]] = {column.name: [] for column in UTILIZATION}
    for number, busy in _busy(model, filter_).items():
        if len(busy[0]) == 0:  # work without duration
            continue
        first, last = int(busy[0][0]), int(busy[1][-1])
        bounds = first + (last - first) * np.arange(chunks + 1, dtype=np.int64) // max(chunks, 1)
        length = np.diff(bounds)
        share = 100.0 * measure_within(busy, bounds[:-1], bounds[1:]) / np.maximum(length, 1)
        low = np.flatnonzero((share < below_pct) & (length > 0))
        found["device"] += [number] * len(low)
        found["chunk"] += (low + 1).tolist()
        found["start_us"] += us(bounds[low]).tolist()
        found["duration_us"] += us(length[low]).tolist()
        found["utilization_pct"] += share[low].tolist()
    return make_table(UTILIZATION, found)


GAPS_TABLE: Final = TableSpec(
    name="nsys_gpu_gaps",
    summary="the long times in which a device had no work",
    columns=GAPS,
    make=_gpu_gaps,
    options=(Option("least_ms", 500.0, "Only gaps of at least this many ms.", type=float),),
    sort=("duration_us",),
    sums=("duration_us",),
    nouns=("gap", "gaps"),
    needs="device",
)
UTILIZATION_TABLE: Final = TableSpec(
    name="nsys_gpu_time_util",
    summary="the times in which a device had little work",
    columns=UTILIZATION,
    make=_gpu_time_util,
    options=(
        Option("chunks", 30, "Number of parts that its time is divided into.", type=int),
        Option("below_pct", 50.0, "Only parts with a lower utilization.", type=float),
    ),
    keys=("device", "chunk"),
    nouns=("part", "parts"),
    needs="device",
)
