"""Puts the two kinds of time stamps of a JSON file on one time scale.

Arguments count nanoseconds from the first host event; stamps are whole microseconds since 1970.
Every event with both says that the first one was at most a microsecond after the difference: all of
them together give it to a few nanoseconds.
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

#: What a stamp leaves out of a time, in ns.
MICROSECOND = 1000


#: Differences further than that from most, in ns, are no matter of rounding.
_DAMAGED = 10 * MICROSECOND


class Slices(NamedTuple):
    """Times of slices; arrays have shape (slices,), and `NO_TIME` where something is missing.

    Attributes
    ----------
    start, end : ndarray of int64
        Of the arguments.
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
        """Take them out of columns; `start` stays there too."""
        start = columns.join("start_ns")
        return cls(start, *(columns.take(f"{name}_ns", np.int64) for name in cls._fields[1:]))

    @property
    def are_told(self) -> npt.NDArray[np.bool_]:
        """Which slices have times from their arguments."""
        told: npt.NDArray[np.bool_] = self.start != NO_TIME
        return told


class Base(NamedTuple):
    """Between what absolute nanoseconds the first host event was."""

    low: int
    high: int


def base_of(slices: Sequence[Slices], memory: Times) -> Base:
    """Return when the first host event was, by all slices that tell."""
    start, stamp = (np.concatenate([getattr(one, name) for one in slices]) for name in _BOTH)
    both = (start != NO_TIME) & (stamp != NO_TIME)
    if not both.any():
        stamps = np.concatenate([stamp[stamp != NO_TIME], memory])
        first = int(stamps.min()) if len(stamps) else 0
        return Base(first, first)
    difference, error = (stamp - start)[both], errors(start[both])
    middle = int(np.median(difference))
    # A single damaged time must not spoil what all the others say.
    sound = np.abs(difference - middle) <= _DAMAGED + error
    if sound.any():
        low = int((difference - error)[sound].max())
        high = int((difference + error)[sound].min()) + MICROSECOND - 1
        if low <= high:
            return Base(low, high)
    return Base(middle, middle)


_BOTH = ("start", "stamp")


def settle(slices: Slices, base: Base, names: Any, raw: RawColumns) -> Times:
    """Fill in starts from stamps, in place, and return the durations of slices."""
    told = slices.are_told
    duration = np.where(told, slices.end - slices.start, slices.length)
    slices.start[~told] = slices.stamp[~told] - base.low
    bad = (duration < 0) | (duration > LONGEST)
    if bad.any():
        name = raw.names.texts[names[np.argmax(bad)]]
        example = f"{name!r} has no usable one; taken as 0"
        raw.defects.note("missing or impossible duration", int(bad.sum()), example)
        duration[bad] = 0
    return duration
