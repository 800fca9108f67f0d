"""Device utilization and estimated SM efficiency over time, as in the TensorBoard plugin.

Utilization is the fraction of a time bucket during which a kernel runs, in finer buckets where a
window is. Estimated SM efficiency is
the sum of blocks per multiprocessor of all running kernels, at most 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model import intervals
from nbprof.model.trace import kinds
from nbprof.timeline.curves.step_functions import Times, Values, without_repeats

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Maximum number of buckets per recording.
BUCKETS: Final = 100
#: Minimum number of pixel columns of a bucket.
_COLUMNS: Final = 10
_NS_PER_US: Final = 1000

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
    size = _bucket_ns(end_ns - start_ns, BUCKETS)
    count = max((end_ns - start_ns) // size, 1)
    edges = start_ns + size * np.arange(count + 1, dtype=np.int64)
    edges[-1] = end_ns
    return edges


def _bucket_ns(length_ns: int, buckets: int) -> int:
    """Return the smallest power of ten in microseconds of which so many fill a length."""
    size = _NS_PER_US
    while length_ns > buckets * size:
        size *= 10
    return size


@dataclass(frozen=True)
class Utilization:
    """The share of any time bucket during which a kernel of a device runs.

    Attributes
    ----------
    busy : nbprof.model.intervals.Coverage
        When kernels run.
    start_ns, end_ns : int
        The recording.
    shift_ns : int
        What is added to its times in windows on another clock.
    """

    busy: intervals.Coverage
    start_ns: int
    end_ns: int
    shift_ns: int = 0

    @classmethod
    def of(cls, model: TraceModel, device: int) -> Utilization:
        """Find when kernels of a device run."""
        busy = intervals.union(*_kernels(model, device)[:2])
        return cls(intervals.Coverage.of(busy), *recorded_window(model))

    def curve(self) -> Curve:
        """Return the percentage in each bucket of the recording; 0 after the last."""
        return self._curve(bucket_edges(self.start_ns, self.end_ns))

    def in_window(self, start_ns: int, end_ns: int, width: int) -> Curve | None:
        """Return the percentage in finer buckets around a window, None where they are not finer.

        A bucket has at least `_COLUMNS` of the window's pixel columns. Buckets of one length have
        the same edges in every window, so the curve keeps its shape when the window moves.
        """
        start_ns, end_ns = start_ns - self.shift_ns, end_ns - self.shift_ns
        size = _bucket_ns(_COLUMNS * (end_ns - start_ns), max(width, 1))
        first = max((start_ns - self.start_ns) // size, 0)
        last = -((self.start_ns - min(end_ns, self.end_ns)) // size)
        if first >= last or size >= _bucket_ns(self.end_ns - self.start_ns, BUCKETS):
            return None
        edges = self.start_ns + size * np.arange(first, last + 1, dtype=np.int64)
        times, values = self._curve(np.minimum(edges, self.end_ns))
        return times + self.shift_ns, values

    def _curve(self, edges: Times) -> Curve:
        inside = self.busy.within(edges[:-1], edges[1:])
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
