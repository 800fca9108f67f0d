"""Finds gaps: times in which a device, or one of its streams, runs no work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_intervals import device_spans, kept_by_device, times_of
from nbprof.analysis.devices.device_rows import devices_in
from nbprof.analysis.grouping import latest
from nbprof.model import intervals
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Sentinels before and after all times.
_FAR: Final = 2**62


@dataclass(frozen=True)
class Gaps:
    """Gaps of devices and streams, arrays of shape (gaps,).

    Attributes
    ----------
    start, end : ndarray of int64
        Nanoseconds.
    previous, next : ndarray of int64
        Device rows before and after each gap, -1 outside the range.
    device, stream : ndarray of int64
        Where the gap is; stream -1 if the whole device is idle.
    """

    start: Rows
    end: Rows
    previous: Rows
    next: Rows
    device: Rows
    stream: Rows

    def where(self, keep: npt.NDArray[np.bool_] | Rows) -> Gaps:
        """Return the gaps that a mask keeps, or those at some places."""
        return Gaps(*(column[keep] for column in vars(self).values()))

    @classmethod
    def joined(cls, several: list[Gaps]) -> Gaps:
        """Return several gaps one after the other."""
        if not several:
            return cls(*[np.empty(0, np.int64)] * 6)
        return cls(
            *map(np.concatenate, zip(*(vars(gaps).values() for gaps in several), strict=True))
        )


def gaps_of_whole_devices(model: TraceModel, filter_: Filter) -> Gaps:
    """Return the times in which a whole device is idle; several tables need them in turn."""
    filter_ = filter_.of_devices

    def find() -> Gaps:
        # All work of a device ends its idle time, so that a range only cuts what is between it.
        every = np.array(devices_in(model, NO_FILTER), np.int64)
        between = model.cached("between work of devices", lambda: _between_work(model, every))
        devices = np.array(devices_in(model, filter_), np.int64)
        if len(devices) < len(every):
            between = between.where(np.isin(every, devices)[between.group])
        wanted = selection.window(model, filter_)
        spans = device_spans(model, every) if wanted is None else None
        gaps, of = _cut(between, spans, wanted)
        return Gaps(*gaps, every[of], np.full(len(of), -1, np.int64))

    return latest(model, "gaps of whole devices", filter_, find)


def _between_work(model: TraceModel, devices: Rows) -> _Between:
    """Return what lies between and around all work of devices that takes any time."""
    rows, device = kept_by_device(model, NO_FILTER, devices)
    some = model.column("device", "duration_ns").take(rows) > 0
    return _between(model, rows[some], device[some], len(devices))


def gaps_of_devices(model: TraceModel, filter_: Filter, *, min_us: float = 0.0) -> Gaps:
    """Return the gaps of each device, then those of its streams, each sorted by time.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range set the window, and only some devices are kept.
    min_us : float
        Minimum length of gaps, in microseconds.
    """
    filter_ = filter_.of_devices
    devices = np.array(devices_in(model, filter_), np.int64)
    rows, device = kept_by_device(model, filter_, devices)
    some = model.column("device", "duration_ns").take(rows) > 0
    rows, device = rows[some], device[some]
    wanted = selection.window(model, filter_)
    if wanted is not None and len(wanted[0]):  # other work neither fills nor borders its gaps
        start, end = times_of(model, rows)
        near = np.flatnonzero((end > wanted[0][0]) & (start < wanted[1][-1]))
        rows, device = rows.take(near), device.take(near)
    of_streams = _gaps_of_streams(model, rows, device, devices, wanted)
    found = Gaps.joined([gaps_of_whole_devices(model, filter_), of_streams])
    found = found.where(np.argsort(found.device, kind="stable"))
    return found.where(found.end - found.start >= min_us * 1000)


def _gaps_of_streams(
    model: TraceModel, rows: Rows, device: Rows, devices: Rows, wanted: IntervalSet | None
) -> Gaps:
    """Return the gaps between pieces of work on a stream, sorted by device, stream and time."""
    stream = model.column("device", "stream").take(rows).astype(np.int64)
    there = np.flatnonzero(stream >= 0)  # others are not streams
    there = there[np.lexsort((stream[there], device[there]))]
    rows, device, stream = rows[there], device[there], stream[there]
    begins = np.ones(len(rows), bool)
    begins[1:] = (device[1:] != device[:-1]) | (stream[1:] != stream[:-1])
    first = np.flatnonzero(begins)
    spans = device_spans(model, devices[device[first]]) if wanted is None else None
    gaps, of = _cut(_between(model, rows, np.cumsum(begins) - 1, len(first)), spans, wanted)
    found = Gaps(*gaps, devices[device[first[of]]], stream[first[of]])
    return found.where((found.previous >= 0) & (found.next >= 0))


class _Between(NamedTuple):
    """What lies between merged pieces of work of groups, devices or streams, and around them.

    Attributes
    ----------
    low, high : ndarray of int64, shape (n,)
        Nanoseconds; before the first work of a group and after its last they are far away.
    previous, next : ndarray of int64, shape (n,)
        Device rows, -1 for none.
    group : ndarray of int64, shape (n,)
        Index of the group of each, ascending.
    """

    low: Rows
    high: Rows
    previous: Rows
    next: Rows
    group: Rows

    def where(self, keep: npt.NDArray[np.bool_]) -> _Between:
        """Return those that a mask keeps."""
        return _Between(*(column[keep] for column in self))


def _between(model: TraceModel, rows: Rows, of_row: Rows, groups: int) -> _Between:
    """Return what lies between and around the work of groups.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (rows,)
        Device rows sorted by group, then by start.
    of_row : ndarray of int64, shape (rows,)
        Index of the group of each row, ascending.
    groups : int
        Number of groups; some may have no rows.
    """
    start, end = times_of(model, rows)
    begins = np.ones(len(rows), bool)
    begins[1:] = of_row[1:] != of_row[:-1]
    before = np.append(-_FAR, intervals.reach_of_groups(end, of_row))[: len(rows)]
    opens = np.flatnonzero(begins | (start > before))
    raised = np.maximum.accumulate(np.where(begins | (end > before), np.arange(len(rows)), 0))
    last = raised[np.append(opens[1:], len(rows)) - 1] if len(rows) else raised
    blocks = np.bincount(of_row[opens], minlength=groups)
    of = np.repeat(np.arange(groups), blocks + 1)
    low, high = np.full(len(of), -_FAR), np.full(len(of), _FAR)
    previous, following = np.full(len(of), -1), np.full(len(of), -1)
    place = np.arange(len(opens)) + of_row[opens]
    low[place + 1], previous[place + 1] = end[last], rows[last]
    high[place], following[place] = start[opens], rows[opens]
    return _Between(low, high, previous, following, of)


def _cut(
    between: _Between, spans: tuple[Rows, Rows] | None, windows: IntervalSet | None
) -> tuple[tuple[Rows, Rows, Rows, Rows], Rows]:
    """Return the parts of windows in which no row of a group runs.

    Parameters
    ----------
    between : _Between
        What lies between the rows of groups.
    spans : (ndarray, ndarray) of shape (groups,), optional
        The window of each group, unless all have the same windows.
    windows : IntervalSet, optional
        The windows of all groups, unless each has its own.

    Returns
    -------
    gaps : tuple of ndarray of int64, shape (gaps,)
        Start, end, previous and next as in `Gaps`, sorted by group and time.
    group : ndarray of int64, shape (gaps,)
        Index of the group of each.
    """
    low, high, previous, following, of = between
    if spans is not None:
        first, stop = spans[0][of], spans[1][of]
        gap = np.flatnonzero(np.minimum(high, stop) > np.maximum(low, first))
        first, stop = first[gap], stop[gap]
        begin, until = np.maximum(low[gap], first), np.minimum(high[gap], stop)
    else:
        windows = intervals.empty() if windows is None else windows
        window, gap, begin, until = intervals.split(low, high, windows)
        first, stop = windows[0][window], windows[1][window]
    return (
        begin,
        until,
        np.where(low[gap] > first, previous[gap], -1),
        np.where(high[gap] < stop, following[gap], -1),
    ), of[gap]
