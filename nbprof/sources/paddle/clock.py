"""One time scale for what a JSON file tells in two ways.

Arguments count nanoseconds from the first host event; stamps are whole microseconds since 1970.
Every event with both says that the first one was at most a microsecond after the difference: all of
them together give it to a few nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.sources.batch import LONGEST
from nbprof.sources.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.assembly import Columns
    from nbprof.sources.paddle.gathered import Gathered

Times = npt.NDArray[np.int64]

#: What a stamp leaves out of a time.
MICROSECOND = 1000

#: Up to here the arguments are exact: Paddle works with floats of 24 bits.
EXACT_NS = 1 << 24


class Slices(NamedTuple):
    """Times of slices; arrays have shape (slices,), and `NO_TIME` where something is missing."""

    start: Times
    end: Times
    stamp: Times
    length: Times


def take_slices(columns: Columns) -> Slices:
    """Take out of columns what times are made of."""
    start = columns.join("start_ns")
    return Slices(start, *(columns.take(f"{name}_ns", np.int64) for name in Slices._fields[1:]))


def base_of(slices: Sequence[Slices], memory: Times) -> int:
    """Return the absolute nanoseconds of the first host event."""
    start, stamp = (np.concatenate([getattr(one, name) for one in slices]) for name in _BOTH)
    both = (start != NO_TIME) & (stamp != NO_TIME)
    if not both.any():
        stamps = np.concatenate([stamp[stamp != NO_TIME], memory])
        return int(stamps.min(initial=0)) if len(stamps) == 0 else int(stamps.min())
    sure = both & (start < EXACT_NS)
    first = (stamp - start)[sure if sure.any() else both]
    low, high = int(first.max()), int(first.min()) + MICROSECOND - 1
    return (low + high) // 2 if low <= high else int(np.median(first))


_BOTH = ("start", "stamp")


def settle(slices: Slices, base_ns: int, names: Any, gathered: Gathered) -> Times:
    """Fill in starts from stamps, in place, and return the durations of slices."""
    missing = slices.start == NO_TIME
    slices.start[missing] = slices.stamp[missing] - base_ns
    duration = np.where(missing, slices.length, slices.end - slices.start)
    bad = (duration < 0) | (duration > LONGEST)
    if bad.any():
        name = gathered.names.texts[names[np.argmax(bad)]]
        example = f"{name!r} has no usable one; taken as 0"
        gathered.faults.note("missing or impossible duration", int(bad.sum()), example)
        duration[bad] = 0
    return duration
