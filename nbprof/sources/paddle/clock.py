"""Converts the two kinds of time stamps of a JSON file to one time scale.

Arguments count nanoseconds from the first host event; stamps are whole microseconds since 1970. For
every event with both, the first host event was at most a microsecond after their difference; all
events together determine it to a few nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.batch import LONGEST
from nbprof.sources.chrome.times import NO_TIME
from nbprof.sources.paddle.chrome.rounding import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.kineto.assembly import Columns
    from nbprof.sources.paddle.raw_columns import RawColumns

Times = npt.NDArray[np.int64]

#: Resolution of a stamp, in ns.
MICROSECOND = 1000


#: Differences further than this from most, in ns, are not rounding errors.
_DAMAGED = 10 * MICROSECOND


class Slices(NamedTuple):
    """Times of slices; arrays have shape (slices,), with `NO_TIME` for missing values.

    Attributes
    ----------
    start, end : ndarray of int64
        From the arguments.
    stamp : ndarray of int64
        Absolute start, to the microsecond.
    length : ndarray of int64
        Duration.
    """

    start: Times
    end: Times
    stamp: Times
    length: Times

    @classmethod
    def take(cls, columns: Columns) -> Slices:
        """Take the times out of columns; `start` also stays there."""
        start = columns.join("start_ns")
        return cls(start, *(columns.take(f"{name}_ns", np.int64) for name in cls._fields[1:]))

    @property
    def has_times(self) -> npt.NDArray[np.bool_]:
        """Mask of the slices with times from arguments."""
        is_timed: npt.NDArray[np.bool_] = self.start != NO_TIME
        return is_timed


class Base(NamedTuple):
    """Bounds of the absolute time of the first host event, in ns."""

    low: int
    high: int


def base_of(slices: Sequence[Slices], memory: Times) -> Base:
    """Return the time of the first host event, from all slices with both times."""
    start, stamp = (np.concatenate([getattr(one, name) for one in slices]) for name in _BOTH)
    both = (start != NO_TIME) & (stamp != NO_TIME)
    if not both.any():
        times = np.concatenate([stamp[stamp != NO_TIME], memory])
        first = int(times.min()) if len(times) else 0
        return Base(first, first)
    difference, error = (stamp - start)[both], errors(start[both])
    middle = int(np.median(difference))
    # A single damaged time must not affect the result.
    sound = np.abs(difference - middle) <= _DAMAGED + error
    if sound.any():
        low = int((difference - error)[sound].max())
        high = int((difference + error)[sound].min()) + MICROSECOND - 1
        if low <= high:
            return Base(low, high)
    return Base(middle, middle)


_BOTH = ("start", "stamp")


def fill_starts(slices: Slices, base: Base, names: Any, raw: RawColumns) -> Times:
    """Fill in missing starts from stamps, in place, and return the durations of slices."""
    is_timed = slices.has_times
    duration = np.where(is_timed, slices.end - slices.start, slices.length)
    slices.start[~is_timed] = slices.stamp[~is_timed] - base.low
    bad = (duration < 0) | (duration > LONGEST)
    if bad.any():
        name = raw.names.texts[names[np.argmax(bad)]]
        example = f"{name!r} has no usable one; taken as 0"
        raw.defects.note("missing or impossible duration", int(bad.sum()), example)
        duration[bad] = 0
    return duration
