"""Estimates the rounding error of times in Paddle's JSON.

Paddle divides whole nanoseconds as floats with 24 bits before it writes microseconds with three
digits. So times up to 16 ms and durations up to 16 ms are exact, but half a minute after the first
event, times have errors of up to 2 µs, longer than many events.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]

#: Up to here floats of 24 bits have three digits of a microsecond, in ns.
EXACT_NS = (1 << 14) * 1000

#: From here on, floats with 24 bits cannot represent all integers.
_INTEGERS = 1 << 24


def errors(times: Times) -> Times:
    """Return the maximum error of written times in nanoseconds, shape (times,)."""
    size = np.abs(times)
    nanoseconds = np.spacing(size.astype(np.float32)).astype(np.float64) / 2
    microseconds = np.spacing((size / 1000).astype(np.float32)).astype(np.float64) * 1000 / 2
    both = np.where(size < _INTEGERS, 0, nanoseconds) + microseconds + 0.5
    error_ns: Times = np.where(size < EXACT_NS, 0, np.ceil(both)).astype(np.int64)
    return error_ns


def are_rounded(times: Times) -> bool:
    """Whether times are values of floats with 24 bits, and so may have errors."""
    large = times[times >= EXACT_NS]
    written = (large / 1000).astype(np.float32).astype(np.float64)
    return bool((np.abs(np.rint(written * 1000) - large) <= 1).all())
