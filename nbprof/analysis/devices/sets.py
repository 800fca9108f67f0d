"""When each device did what: the sets of time that tables of windows measure.

They depend on which rows a filter keeps and not on its range, so that another range costs no more
than measuring them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.rows import narrowed, without_range, work_of_kind, work_rows
from nbprof.analysis.grouping import latest
from nbprof.analysis.kernels.communication import device_communication
from nbprof.model import intervals
from nbprof.model.intervals import Coverage
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DeviceSets:
    """When one device did what.

    Attributes
    ----------
    work, kernels : Coverage
        Anything; kernels, those of communication among them.
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
        """Return the sets of the rows that a filter keeps wherever in time they are."""
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
    """Return the device's work that the filter keeps wherever in time, in the order of starts."""
    rows = _by_start(model, device)
    return rows[narrowed(model, filter_).take(rows)]


def kernels_of_device(model: TraceModel, device: int) -> Rows:
    """Return all kernels of a device in the order of starts."""

    def make() -> Rows:
        rows = _by_start(model, device)
        return rows[work_of_kind(model, kinds.KERNEL).take(rows)]

    return model.cached(("kernels of device", device), make)


def device_span(model: TraceModel, device: int) -> IntervalSet:
    """Return the time from the first start to the last end of all work of a device."""
    start, end = times_of(model, _by_start(model, device))
    return intervals.union(start[:1], end.max(keepdims=True))


def device_union(model: TraceModel, rows: Mask) -> IntervalSet:
    """Merge device rows of all devices, shape of the mask (device rows,)."""
    ordered = model.cached("work by start", lambda: _ordered(model, work_rows(model)))
    return _union(model, ordered[rows.take(ordered)])


def times_of(model: TraceModel, rows: Rows) -> tuple[Rows, Rows]:
    """Return start and end of some device rows."""
    start = model.column("device", "start_ns").take(rows)
    return start, start + model.column("device", "duration_ns").take(rows)


def _by_start(model: TraceModel, device: int) -> Rows:
    def make() -> Rows:
        return _ordered(model, work_rows(model) & (model.column("device", "device") == device))

    return model.cached(("work by start", device), make)


def _ordered(model: TraceModel, chosen: Mask) -> Rows:
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(model.column("device", "start_ns")[rows], kind="stable")]


def _union(model: TraceModel, rows: Rows) -> IntervalSet:
    return intervals.union(*times_of(model, rows))
