"""`DeviceSets`: when each device computed, communicated and copied, as interval sets.

The sets depend on the rows that a filter keeps but not on its range, so for another range they only
have to be measured again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import narrowed, without_range, work_of_kind, work_rows
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


@dataclass(frozen=True)
class DeviceSets:
    """The times at which one device did each kind of work.

    Attributes
    ----------
    work, kernels : Coverage
        Any work; kernels, including communication.
    computation, communication, exposed_communication, memcpy, exposed_memcpy : Coverage
        As in the table `device_time`.
    """

    work: Coverage
    kernels: Coverage
    computation: Coverage
    communication: Coverage
    exposed_communication: Coverage
    memcpy: Coverage
    exposed_memcpy: Coverage

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter, device: int) -> DeviceSets:
        """Return the sets of the rows that a filter keeps, ignoring its range."""
        rows = without_range(filter_)
        return latest(model, f"sets of device {device}", rows, lambda: _sets(model, rows, device))


def _sets(model: TraceModel, filter_: Filter, device: int) -> DeviceSets:
    rows = kept_by_start(model, filter_, device)
    communicates = device_communication(model).take(rows)
    copies = work_of_kind(model, kinds.MEMCPY).take(rows) & ~communicates
    kernels = work_of_kind(model, kinds.KERNEL).take(rows)
    computation = _union(model, rows[~(communicates | copies)])
    communication = _union(model, rows[communicates])
    memcpy = _union(model, rows[copies])
    exposed_communication = intervals.subtract(communication, computation)
    exposed_memcpy = intervals.subtract(intervals.subtract(memcpy, computation), communication)
    return DeviceSets(
        *map(
            Coverage.of,
            (
                _union(model, rows),
                _union(model, rows[kernels]),
                computation,
                communication,
                exposed_communication,
                memcpy,
                exposed_memcpy,
            ),
        )
    )


def kept_by_start(model: TraceModel, filter_: Filter, device: int) -> Rows:
    """Return the work of a device that the filter keeps, ignoring its range, sorted by start."""
    rows = _by_start(model, device)
    return rows[narrowed(model, filter_).take(rows)]


def kernels_of_device(model: TraceModel, device: int) -> Rows:
    """Return all kernels of a device sorted by start."""

    def make() -> Rows:
        rows = _by_start(model, device)
        return rows[work_of_kind(model, kinds.KERNEL).take(rows)]

    return model.cached(("kernels of device", device), make)


def device_span(model: TraceModel, device: int) -> IntervalSet:
    """Return the interval from the first start to the last end of a device's work."""
    start, end = times_of(model, _by_start(model, device))
    return intervals.union(start[:1], end.max(keepdims=True))


def device_union(model: TraceModel, rows: Mask) -> IntervalSet:
    """Return the union of device rows of all devices; the mask has shape (device rows,)."""
    ordered = model.cached("work by start", lambda: _sort_by_start(model, work_rows(model)))
    return _union(model, ordered[rows.take(ordered)])


def times_of(model: TraceModel, rows: Rows) -> tuple[Rows, Rows]:
    """Return start and end of device rows."""
    start = model.column("device", "start_ns").take(rows)
    return start, start + model.column("device", "duration_ns").take(rows)


def _by_start(model: TraceModel, device: int) -> Rows:
    def make() -> dict[int, Rows]:
        ordered = model.cached("work by start", lambda: _sort_by_start(model, work_rows(model)))
        places = rows_of_values(model.column("device", "device").take(ordered))
        return {number: ordered[place] for number, place in places.items()}

    return model.cached("work by start of devices", make).get(device, np.empty(0, np.int64))


def _sort_by_start(model: TraceModel, chosen: Mask) -> Rows:
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(model.column("device", "start_ns")[rows], kind="stable")]


def _union(model: TraceModel, rows: Rows) -> IntervalSet:
    return intervals.union(*times_of(model, rows))
