"""Durations of the events of `key_averages`: exact, or with the rounding of PyTorch's floats.

Tables sum whole nanoseconds. PyTorch subtracts and sums microseconds as floats. Where a sum lies
half-way between two numbers with three decimals, its last bit decides how the sum is printed, so
the text in PyTorch's layout repeats that arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_device_rows
from nbprof.analysis.grouping import NS_PER_US, sums
from nbprof.model.filters.filter import Filter

if TYPE_CHECKING:
    from nbprof.analysis.operators.key_averages.figures import Figures
    from nbprof.model.trace.model import TraceModel

Floats = npt.NDArray[np.float64]

_WORK: Final = frozenset({"kernel", "memcpy", "memset"})


@dataclass(frozen=True)
class Times:
    """Times of events in their order, in units of `per_us` to a microsecond.

    Attributes
    ----------
    host_self, host_total, device_self, device_total : ndarray of float64, shape (events,)
        Times.
    per_us : float
        Units in a microsecond.
    """

    host_self: Floats
    host_total: Floats
    device_self: Floats
    device_total: Floats
    per_us: float


def times(model: TraceModel, made: Figures, filter_: Filter, *, as_printed: bool) -> Times:
    """Return the times of all events.

    Parameters
    ----------
    model : TraceModel
        The trace.
    made : Figures
        The events.
    filter_ : Filter
        Which devices, streams and kinds of device work count for the calls that launched them.
    as_printed : bool
        Whether to round like PyTorch rather than to sum whole nanoseconds.
    """
    host, device = made.host, made.device
    start = model.column("host", "start_ns")[host.row]
    length = model.column("host", "duration_ns")[host.row].astype(np.float64)
    work = device.duration.astype(np.float64)
    if as_printed:
        zero = _recording_start(model)
        length = _printed(start - zero, length)
        work = _printed(device.start - zero, work)
    host_self = np.where(host.is_asynchronous, 0.0, length - _inside(made, length))
    counted = _counted(model, filter_)[device.row]
    launched = np.flatnonzero((device.call >= 0) & counted)
    own = sums(device.call[launched], work[launched], len(host.row))
    again = np.flatnonzero((device.group >= 0) & counted)
    groups = int(device.group.max(initial=-1)) + 1
    if groups:
        of_group = np.append(sums(device.group[again], work[again], groups), 0.0)
        known = np.minimum(device.again_group, groups)
        np.add.at(own, device.again_call, of_group[known])
    total = made.forest.totals(own)
    return Times(
        host_self=made.joined(host_self, 0.0, 0.0),
        host_total=made.joined(length, 0.0, 0.0),
        device_self=made.joined(own, 0.0, work),
        device_total=made.joined(total, 0.0, work),
        per_us=1.0 if as_printed else NS_PER_US,
    )


def _counted(model: TraceModel, filter_: Filter) -> npt.NDArray[np.bool_]:
    """Return which device rows count for the calls that launched them.

    As in `operators`, the names and times of device work do not matter, and kinds only if they name
    device work.
    """
    named = filter_.kinds
    if named is not None and not _WORK & set(named):
        named = None
    narrow = Filter(kinds=named, devices=filter_.devices, streams=filter_.streams)
    return kept_device_rows(model, narrow)


def _printed(start: npt.NDArray[np.int64], length: Floats) -> Floats:
    """Return durations in microseconds as PyTorch subtracts them; `start` is in nanoseconds."""
    return (start + length) / NS_PER_US - start / NS_PER_US


def _recording_start(model: TraceModel) -> int:
    """Return the time that PyTorch counts from, relative to the first event."""
    recorded: Any = model.metadata.get("recorded_ns")
    return int(recorded[0]) if recorded else 0


def _inside(made: Figures, length: Floats) -> Floats:
    """Return the time of the calls directly inside each call, which Python sums without loss."""
    inside = np.flatnonzero(made.host.parent >= 0)
    around = made.host.parent[inside]
    order = np.argsort(around, kind="stable")
    around, inside = around[order], inside[order]
    taken = np.zeros(len(length), np.longdouble)
    if len(inside):
        first = np.flatnonzero(np.diff(around, prepend=-1))
        taken[around[first]] = np.add.reduceat(length[inside].astype(np.longdouble), first)
    result: Floats = taken.astype(np.float64)
    return result
