"""`MemorySteps`: memory over time as a step function, cut to intervals and added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.model.intervals import IntervalSet

Rows = npt.NDArray[np.int64]

#: Value for an unknown number of bytes.
UNKNOWN = -1


@dataclass(frozen=True)
class MemorySteps:
    """Memory as a step function; arrays of shape (points,).

    Attributes
    ----------
    time_ns : ndarray of int64
        Ascending. Memory is unknown before the first.
    allocated : ndarray of int64
        Bytes in use from that time on, or `UNKNOWN`.
    reserved : ndarray of int64
        Bytes reserved from the device, or `UNKNOWN`.
    """

    time_ns: Rows
    allocated: Rows
    reserved: Rows

    def points(self, window: IntervalSet | None) -> tuple[Rows, Rows]:
        """Return the points inside intervals.

        Each interval starts with an additional point that has the current value.

        Parameters
        ----------
        window : interval set, or None
            None for everything.

        Returns
        -------
        index : ndarray of int64, shape (points,)
            Indices into the arrays of this object.
        time_ns : ndarray of int64, shape (points,)
        """
        if window is None or len(self.time_ns) == 0:
            return np.arange(len(self.time_ns)), self.time_ns
        starts, ends = window
        # The start of the recording is not a record: an interval starting there uses its own point.
        first = np.maximum(np.searchsorted(self.time_ns, starts, side="left"), 1)
        last = np.maximum(np.searchsorted(self.time_ns, ends, side="left"), first)
        begun = ends > self.time_ns[0]
        starts, first, last = starts[begun], first[begun], last[begun]
        count = last - first + 1
        index = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        is_start = index == 0
        index += np.repeat(first - 1, count)
        time = self.time_ns[index]
        time[is_start] = np.maximum(starts, self.time_ns[0])
        return index, time


def _last_known(values: Rows) -> Rows:
    """Return at each index the last known value up to it, `UNKNOWN` before the first."""
    places = last_of(values >= 0)
    return np.where(places >= 0, values[np.maximum(places, 0)], UNKNOWN) if len(values) else values


def last_of(wanted: npt.NDArray[np.bool_]) -> Rows:
    """Return for each index the last True one up to it, -1 without one."""
    places: Rows = np.maximum.accumulate(np.where(wanted, np.arange(len(wanted)), -1))
    return places


def sum_of(parts: list[MemorySteps]) -> MemorySteps:
    """Return the sum of step functions, each from its first point on.

    Parameters
    ----------
    parts : list of MemorySteps
        At least one; unknown values count as 0 unless all are unknown.
    """
    time = np.concatenate([part.time_ns for part in parts])
    order = np.argsort(time, kind="stable")
    whose = np.repeat(np.arange(len(parts)), [len(part.time_ns) for part in parts])[order]
    sums = []
    for name in ("allocated", "reserved"):
        values = np.concatenate([getattr(part, name) for part in parts])[order]
        each = [_last_known(np.where(whose == at, values, UNKNOWN)) for at in range(len(parts))]
        nobody = np.all([one < 0 for one in each], axis=0)
        total = np.sum([np.maximum(one, 0) for one in each], axis=0)
        sums.append(np.where(nobody, UNKNOWN, total))
    return MemorySteps(time[order], sums[0], sums[1])
