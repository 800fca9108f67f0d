"""Finds gaps: times in which a device, or one of its streams, runs no work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_intervals import device_span, kept_by_start, times_of
from nbprof.analysis.devices.device_rows import devices_in
from nbprof.model import intervals
from nbprof.model.filters import selection
from nbprof.model.lookup import rows_of_values

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

    def where(self, keep: npt.NDArray[np.bool_]) -> Gaps:
        """Return the gaps that a mask keeps."""
        return Gaps(*(column[keep] for column in vars(self).values()))

    @classmethod
    def joined(cls, several: list[Gaps]) -> Gaps:
        """Return several gaps one after the other."""
        if not several:
            return cls(*[np.empty(0, np.int64)] * 6)
        return cls(
            *map(np.concatenate, zip(*(vars(gaps).values() for gaps in several), strict=True))
        )


def gaps_of_devices(
    model: TraceModel, filter_: Filter, *, min_us: float = 0.0, streams: bool = True
) -> Gaps:
    """Return the gaps of each device, then those of its streams, each sorted by time.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range set the window; all other fields select the work that ends idle time.
    min_us : float
        Minimum length of gaps, in microseconds.
    streams : bool
        Whether to include the gaps of single streams.
    """
    found = [
        gaps.where(gaps.end - gaps.start >= min_us * 1000)
        for device in devices_in(model, filter_)
        for gaps in _gaps_of_device(model, filter_, device, streams=streams)
    ]
    return Gaps.joined(found)


def _gaps_of_device(
    model: TraceModel, filter_: Filter, device: int, *, streams: bool
) -> list[Gaps]:
    """Return the gaps of a device, with stream -1, and those of each of its streams."""
    wanted = selection.window(model, filter_)
    window = device_span(model, device) if wanted is None else wanted
    rows = kept_by_start(model, filter_, device)
    rows = rows[model.column("device", "duration_ns")[rows] > 0]
    found = [_gaps(model, rows, window, (device, -1))]
    if streams:
        for number, own in rows_of_values(model.column("device", "stream")[rows]).items():
            if number >= 0:  # others are not streams
                gaps = _gaps(model, rows[own], window, (device, number))
                found.append(gaps.where((gaps.previous >= 0) & (gaps.next >= 0)))
    return found


def _gaps(model: TraceModel, rows: Rows, window: IntervalSet, place: tuple[int, int]) -> Gaps:
    """Return the parts of a window in which none of the rows runs; rows are sorted by start."""
    start, end = times_of(model, rows)
    reach = np.maximum.accumulate(end)
    before = np.append(-_FAR, reach[:-1])
    opens = np.flatnonzero(start > before[: len(start)])
    raised = np.maximum.accumulate(np.where(end > before[: len(end)], np.arange(len(end)), 0))
    last = raised[np.append(opens[1:], len(rows)) - 1] if len(rows) else raised
    # the gaps between merged blocks of work, and those before the first and after the last
    low, high = np.append(-_FAR, end[last]), np.append(start[opens], _FAR)
    previous, following = np.append(-1, rows[last]), np.append(rows[opens], -1)
    begins, ends = intervals.intersect((low, high), window)
    gap = np.searchsorted(low, begins, side="right") - 1
    span = np.searchsorted(window[0], begins, side="right") - 1
    inside_left, inside_right = low[gap] > window[0][span], high[gap] < window[1][span]
    return Gaps(
        begins,
        ends,
        np.where(inside_left, previous[gap], -1),
        np.where(inside_right, following[gap], -1),
        *(np.full(len(gap), number, np.int64) for number in place),
    )
