"""Estimates the rounding error of times in Paddle's JSON.

Paddle divides whole nanoseconds in floats of 24 bits before it writes microseconds with three
digits. So times are exact up to 16 ms and durations of up to 16 ms always, but half a minute after
the first event, times are off by up to 2 µs: more than many events take.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]

#: Up to here floats of 24 bits have three digits of a microsecond, in ns.
EXACT_NS = (1 << 14) * 1000

#: From here on floats of 24 bits do not hold all whole numbers.
_INTEGERS = 1 << 24


def errors(times: Times) -> Times:
    """Return how many nanoseconds written times may be off at most, shape (times,)."""
    size = np.abs(times)
    nanoseconds = np.spacing(size.astype(np.float32)).astype(np.float64) / 2
    microseconds = np.spacing((size / 1000).astype(np.float32)).astype(np.float64) * 1000 / 2
    both = np.where(size < _INTEGERS, 0, nanoseconds) + microseconds + 0.5
    found: Times = np.where(size < EXACT_NS, 0, np.ceil(both)).astype(np.int64)
    return found


def are_rounded(times: Times) -> bool:
    """Whether times are such as floats of 24 bits give, so that they may be off at all."""
    large = times[times >= EXACT_NS]
    written = (large / 1000).astype(np.float32).astype(np.float64)
    return bool((np.abs(np.rint(written * 1000) - large) <= 1).all())
