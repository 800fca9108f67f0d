"""`DeviceSets`: when devices computed, communicated and copied, as interval sets.

The sets depend on the rows that a filter keeps but not on its range, so for another range they only
have to be measured again. All devices lie end to end on one axis, so that one operation handles all
of them, however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    devices_in,
    narrowed,
    without_range,
    work_of_kind,
    work_rows,
)
from nbprof.analysis.grouping import latest
from nbprof.analysis.kernels.communication import device_communication
from nbprof.model import intervals
from nbprof.model.intervals import Coverage
from nbprof.model.lookup import rows_of_values
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Times beyond this would leave no room for sums.
_FAR: Final = 2**62
#: Number of windows of devices that are measured at once.
_MOST_WINDOWS: Final = 1_000_000


@dataclass(frozen=True)
class DeviceSets:
    """The times at which some devices did each kind of work, on an axis of these devices.

    Attributes
    ----------
    low, high : int
        First start and last end of the work of all devices.
    count : int
        Number of devices; the part of each on the axis is ``high - low + 1`` long.
    work, kernels : Coverage
        Any work; kernels, including communication.
    computation, communication, exposed_communication, memcpy, exposed_memcpy : Coverage
        As in the table `device_time`.
    """

    low: int
    high: int
    count: int
    work: Coverage
    kernels: Coverage
    computation: Coverage
    communication: Coverage
    exposed_communication: Coverage
    memcpy: Coverage
    exposed_memcpy: Coverage

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter) -> tuple[DeviceSets, ...]:
        """Return the sets of the rows that a filter keeps, ignoring its range.

        The devices are those of `devices_in`, in order. Usually one axis has room for all.
        """
        rows = without_range(filter_)
        return latest(model, "sets of devices", rows, lambda: _sets(model, rows))

    def within(self, name: str, low: Rows, high: Rows) -> Rows:
        """Return how much of a kind of work lies in windows, shape (devices, windows).

        Parameters
        ----------
        name : str
            Attribute of the set.
        low, high : ndarray of int64, shape (windows,) or (devices, windows)
            The windows, of all devices or of each.
        """
        coverage: Coverage = getattr(self, name)
        shift = (np.arange(self.count) * (self.high - self.low + 1))[:, np.newaxis]
        low, high = (
            np.clip(times, self.low, self.high) - self.low + shift for times in (low, high)
        )
        return coverage.within(low.ravel(), high.ravel()).reshape(low.shape)


def time_within(
    model: TraceModel, filter_: Filter, name: str, low: Rows, high: Rows
) -> npt.NDArray[np.int64]:
    """Return how much of a kind of work lies in all windows together, shape (devices,).

    Parameters
    ----------
    model, filter_ : TraceModel, Filter
        As for `DeviceSets.of`.
    name : str
        Attribute of `DeviceSets`.
    low, high : ndarray of int64, shape (windows,) or (devices, windows)
        The windows, of all devices or of each.
    """
    found = [np.empty(0, np.int64)]
    first = 0
    for sets in DeviceSets.of(model, filter_):
        own = slice(first, first + sets.count)
        first += sets.count
        part = max(_MOST_WINDOWS // max(sets.count, 1), 1)
        total = np.zeros(sets.count, np.int64)
        for at in range(0, low.shape[-1], part):
            some = (times[..., at : at + part] for times in (low, high))
            total += sets.within(name, *(t[own] if t.ndim > 1 else t for t in some)).sum(axis=1)
        found.append(total)
    return np.concatenate(found)


def _sets(model: TraceModel, filter_: Filter) -> tuple[DeviceSets, ...]:
    devices = np.array(devices_in(model, filter_), np.int64)
    rows, device = kept_by_device(model, filter_, devices)
    start, end = times_of(model, rows)
    low, high = int(start.min(initial=_FAR)), int(end.max(initial=-_FAR))
    low, high = (low, high) if len(rows) else (0, 0)
    most = max(_FAR // (high - low + 1), 1)
    found = []
    for first in range(0, len(devices), most):
        some = slice(*np.searchsorted(device, [first, first + most]).tolist())
        axis = low, high, min(most, len(devices) - first)
        found.append(_sets_of(model, rows[some], device[some] - first, axis))
    return tuple(found)


def _sets_of(model: TraceModel, rows: Rows, device: Rows, axis: tuple[int, int, int]) -> DeviceSets:
    """Return the sets of rows sorted by the indices of their devices, then by start."""
    low, high, _ = axis
    start, end = times_of(model, rows)
    shift = device * (high - low + 1) - low
    start, end = start + shift, end + shift

    def union(chosen: Mask) -> IntervalSet:
        return intervals.union(start[chosen], end[chosen])

    communicates = device_communication(model).take(rows)
    copies = work_of_kind(model, kinds.MEMCPY).take(rows) & ~communicates
    computation = union(~(communicates | copies))
    communication = union(communicates)
    memcpy = union(copies)
    exposed_communication = intervals.subtract(communication, computation)
    exposed_memcpy = intervals.subtract(intervals.subtract(memcpy, computation), communication)
    return DeviceSets(
        *axis,
        *map(
            Coverage.of,
            (
                intervals.union(start, end),
                union(work_of_kind(model, kinds.KERNEL).take(rows)),
                computation,
                communication,
                exposed_communication,
                memcpy,
                exposed_memcpy,
            ),
        ),
    )


def kept_by_device(model: TraceModel, filter_: Filter, devices: Rows) -> tuple[Rows, Rows]:
    """Return the work that a filter keeps, ignoring its range, sorted by device, then by start.

    Parameters
    ----------
    model, filter_ : TraceModel, Filter
        The trace, and what is kept.
    devices : ndarray of int64, shape (devices,)
        What `devices_in` returns for the filter.

    Returns
    -------
    rows, device : ndarray of int64, shape (rows,)
        Device rows, and the index of the device of each.
    """
    rows = _by_device(model)
    rows = rows[narrowed(model, filter_).take(rows)]
    return rows, np.searchsorted(devices, model.column("device", "device").take(rows))


def device_spans(model: TraceModel, devices: Rows) -> tuple[Rows, Rows]:
    """Return the first start and the last end of the work of devices, shape (devices,)."""

    def make() -> tuple[Rows, Rows, Rows]:
        rows = _by_device(model)
        start, end = times_of(model, rows)
        known, first = np.unique(model.column("device", "device").take(rows), return_index=True)
        return known, start[first], np.maximum.reduceat(end, first) if len(rows) else end

    known, low, high = model.cached("spans of devices", make)
    place = np.searchsorted(known, devices)
    return low[place], high[place]


def kernels_of_device(model: TraceModel, device: int) -> Rows:
    """Return all kernels of a device sorted by start."""

    def make() -> dict[int, Rows]:
        ordered = _by_start(model)
        kernels = ordered[work_of_kind(model, kinds.KERNEL).take(ordered)]
        places = rows_of_values(model.column("device", "device").take(kernels))
        return {number: kernels[place] for number, place in places.items()}

    return model.cached("kernels of devices", make).get(device, np.empty(0, np.int64))


def device_union(model: TraceModel, rows: Mask) -> IntervalSet:
    """Return the union of device rows of all devices; the mask has shape (device rows,)."""
    ordered = _by_start(model)
    return intervals.union(*times_of(model, ordered[rows.take(ordered)]))


def times_of(model: TraceModel, rows: Rows) -> tuple[Rows, Rows]:
    """Return start and end of device rows."""
    start = model.column("device", "start_ns").take(rows)
    return start, start + model.column("device", "duration_ns").take(rows)


def _by_device(model: TraceModel) -> Rows:
    """Return all work sorted by device, then by start."""

    def make() -> Rows:
        ordered = _by_start(model)
        return ordered[np.argsort(model.column("device", "device").take(ordered), kind="stable")]

    return model.cached("work by device", make)


def _by_start(model: TraceModel) -> Rows:
    """Return all work sorted by start."""

    def make() -> Rows:
        rows = np.flatnonzero(work_rows(model))
        return rows[np.argsort(model.column("device", "start_ns")[rows], kind="stable")]

    return model.cached("work by start", make)
