"""SM efficiency and occupancy of a device, estimated from its kernels' launch configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_intervals import kernels_of_device, times_of
from nbprof.analysis.devices.device_rows import devices_in, narrowed, without_range, work_rows
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy, occupancy_columns
from nbprof.analysis.grouping import latest, share

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Times = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RunningKernels:
    """The kernels of one device that a filter keeps, ignoring its range.

    Windows given to its methods have at most one interval.

    Attributes
    ----------
    times : ndarray of int64, shape (changes,)
        Starts and ends of kernels with a known number of blocks.
    level : ndarray of float64, shape (changes,)
        Fraction of the multiprocessors in use from each of these times to the next.
    has_block_counts : bool
        Whether the number of blocks is known of any work in the trace.
    start, end : ndarray of int64, shape (kernels,)
        Kernels; none if the trace has no occupancy.
    percent : ndarray of float64, shape (kernels,)
        Their occupancy, NaN if unknown; 0 is a valid value.
    """

    times: Times
    level: Floats
    has_block_counts: bool
    start: Times
    end: Times
    percent: Floats

    @classmethod
    def of_devices(cls, model: TraceModel, filter_: Filter) -> tuple[RunningKernels, ...]:
        """Return the kernels that a filter keeps of each device of `devices_in`; cached."""
        rows = without_range(filter_)
        return latest(model, "running kernels", rows, lambda: _of_devices(model, rows))

    def sm_efficiency(self, window: IntervalSet) -> float | None:
        """Integrate min(1, blocks per SM of all running kernels) over a window."""
        if not self.has_block_counts or not len(window[0]):
            return None
        low, high = int(window[0][0]), int(window[1][0])
        first = max(int(np.searchsorted(self.times, low, side="right")) - 1, 0)
        last = int(np.searchsorted(self.times, high, side="left")) + 1
        edges = np.clip(self.times[first:last], low, high)
        lengths = np.diff(edges).astype(np.float64)
        return share(float(self.level[first : first + len(lengths)] @ lengths), high - low)

    def occupancy(self, window: IntervalSet) -> dict[str, float | None]:
        """Return `occupancy_columns` of kernels by their time inside the window."""
        if not len(window[0]) or not len(self.start):
            return dict(_NONE)
        low, high = window
        start, end, percent = self.start, self.end, self.percent
        near = np.flatnonzero((end > low) & (start < high))
        if len(near) < len(start):
            start, end, percent = start.take(near), end.take(near), percent.take(near)
        return occupancy_columns(percent, np.minimum(end, high) - np.maximum(start, low))


#: The columns of no kernels, which is what most of very many devices have.
_NONE: Final = occupancy_columns(np.empty(0), np.empty(0, np.int64))


def _of_devices(model: TraceModel, filter_: Filter) -> tuple[RunningKernels, ...]:
    devices = devices_in(model, filter_)
    has_block_counts = model.cached("tells blocks", lambda: _has_block_counts(model))
    if not (has_block_counts or KernelOccupancy.of(model).recorded):
        # none of the devices has anything to tell
        times, values = np.empty(0, np.int64), np.empty(0, np.float64)
        nothing = RunningKernels(times, values, has_block_counts, times, times, values)
        return (nothing,) * len(devices)
    keeps = narrowed(model, filter_)
    return tuple(_running(model, keeps, device, has_block_counts) for device in devices)


def _running(model: TraceModel, keeps: Mask, device: int, has_block_counts: bool) -> RunningKernels:
    blocks, occupancy = model.column("device", "blocks_per_sm"), KernelOccupancy.of(model)
    changes = model.cached(("changes of load", device), lambda: _changes(model, device))
    changes = changes[keeps.take(np.where(changes < 0, ~changes, changes))]
    begins = changes >= 0
    rows = np.where(begins, changes, ~changes)
    start, end = times_of(model, rows)
    change = blocks.take(rows)
    level = np.minimum(np.cumsum(np.where(begins, change, -change)), 1.0)
    kernels = kernels_of_device(model, device)
    rated = kernels[keeps.take(kernels) & occupancy.recorded]
    return RunningKernels(
        np.where(begins, start, end),
        level,
        has_block_counts,
        *times_of(model, rated),
        occupancy.percent.take(rated),
    )


def _changes(model: TraceModel, device: int) -> Rows:
    """Return the starts and ends of kernels with known blocks, sorted by time.

    A start is given as the row, an end as its bitwise complement.
    """
    kernels = kernels_of_device(model, device)
    with np.errstate(invalid="ignore"):
        kernels = kernels[model.column("device", "blocks_per_sm").take(kernels) > 0]
    order = np.argsort(np.concatenate(times_of(model, kernels)), kind="stable")
    return np.concatenate([kernels, ~kernels])[order]


def _has_block_counts(model: TraceModel) -> bool:
    with np.errstate(invalid="ignore"):
        return bool((work_rows(model) & (model.column("device", "blocks_per_sm") > 0)).any())
