"""`Track`: a curve of the timeline, and its reduction to columns of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.timeline.curves.step_functions import TrackColumns, reduce_steps

if TYPE_CHECKING:
    from nbprof.timeline.curves.step_functions import Times, Values
    from nbprof.timeline.curves.utilization import Utilization


@dataclass(frozen=True)
class Track:
    """A curve of the timeline; a value holds from its time to the time of the next one.

    Several values may have the same time; all but the last are momentary, such as a memory peak
    between two records of one microsecond.

    Attributes
    ----------
    key : str
        Stable name.
    group : str
        Key of the process or device that it is drawn under.
    label, detail : str
        Texts shown.
    unit : str
        ``"%"``, ``"bytes"`` or ``""`` for a count.
    low, high : float
        Lower and upper end of its scale.
    device, stream : int or None
        Device and stream numbers for filters.
    times : ndarray of int64, shape (points,)
        Nanoseconds from the trace's first event, ascending; may start before 0.
    values : ndarray of float64, shape (points,)
        Finite.
    finer : Utilization, optional
        What gives the curve in finer buckets in a short window.
    """

    key: str
    group: str
    label: str
    detail: str
    unit: str
    low: float
    high: float
    device: int | None
    stream: int | None
    times: Times
    values: Values
    finer: Utilization | None = None


def reduce(track: Track, start_ns: int, end_ns: int, width: int) -> TrackColumns:
    """Reduce a curve to the columns of a window, see `reduce_steps`."""
    finer = track.finer and track.finer.in_window(start_ns, end_ns, width)
    times, values = finer or (track.times, track.values)
    return reduce_steps(times, values, start_ns, end_ns, width)
