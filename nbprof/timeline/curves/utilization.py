"""Device utilization and estimated SM efficiency over time, as in the TensorBoard plugin.

Utilization is the fraction of a time bucket during which a kernel runs. Estimated SM efficiency is
the sum of blocks per multiprocessor of all running kernels, at most 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import intervals
from nbprof.model.trace import kinds
from nbprof.timeline.curves.step_functions import Times, Values, without_repeats

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Maximum number of buckets per recording.
BUCKETS = 100
_NS_PER_US = 1000

Curve = tuple[Times, Values]


def recorded_window(model: TraceModel) -> tuple[int, int]:
    """Return start and end of the recording in nanoseconds from the first event.

    Without a recorded window it extends from the first event to the last end. Kernels outside widen
    it, because a curve at 0 under a running kernel would be wrong.
    """
    start, end = model.metadata.get("recorded_ns", (0, int(model.metadata.get("end_ns", 0))))
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    if is_kernel.any():
        first = model.column("device", "start_ns")[is_kernel]
        last = first + model.column("device", "duration_ns")[is_kernel]
        start, end = min(start, int(first.min())), max(end, int(last.max()))
    return start, end


def bucket_edges(start_ns: int, end_ns: int) -> Times:
    """Return the starts of buckets and the end of the last one, shape (buckets + 1,).

    The length of a bucket is the smallest power of ten in microseconds that gives at most `BUCKETS`
    buckets; the last one contains the rest.
    """
    size = _NS_PER_US
    while end_ns - start_ns > BUCKETS * size:
        size *= 10
    count = max((end_ns - start_ns) // size, 1)
    edges = start_ns + size * np.arange(count + 1, dtype=np.int64)
    edges[-1] = end_ns
    return edges


def utilization(model: TraceModel, device: int) -> Curve:
    """Return the percentage of each bucket with a kernel running; 0 after the last."""
    edges = bucket_edges(*recorded_window(model))
    busy = intervals.union(*_kernels(model, device)[:2])
    inside = intervals.measure_within(busy, edges[:-1], edges[1:])
    length = np.maximum(edges[1:] - edges[:-1], 1)
    return without_repeats(edges, np.append(100.0 * inside / length, 0.0))


def sm_efficiency(model: TraceModel, device: int) -> Curve:
    """Return blocks per multiprocessor of all running kernels, at most 1, in percent.

    Empty if the number of blocks is unknown for all kernels of the device.
    """
    start, end, blocks = _kernels(model, device)
    with np.errstate(invalid="ignore"):
        known = (blocks > 0) & (end > start)
    start, end, blocks = start[known], end[known], blocks[known]
    times = np.concatenate([start, end])
    order = np.argsort(times, kind="stable")
    times = times[order]
    change = np.concatenate([blocks, -blocks])[order]
    running = np.cumsum(np.repeat([1, -1], len(start))[order])
    level = np.cumsum(change)
    # Rounding errors are subtracted whenever nothing runs.
    idle = np.maximum.accumulate(np.where(running == 0, np.arange(len(level)), -1))
    level = np.where(idle >= 0, level - level[idle], level) if len(level) else level
    last = np.ones(len(times), bool)
    last[:-1] = times[1:] != times[:-1]
    return without_repeats(times[last], 100.0 * np.minimum(level[last], 1.0))


def _kernels(model: TraceModel, device: int) -> tuple[Times, Times, npt.NDArray[np.float64]]:
    """Return start, end and blocks per multiprocessor of the kernels of a device."""
    rows = (model.column("device", "kind") == kinds.KERNEL) & (
        model.column("device", "device") == device
    )
    start = model.column("device", "start_ns")[rows]
    end = start + model.column("device", "duration_ns")[rows]
    return start, end, model.column("device", "blocks_per_sm")[rows]
