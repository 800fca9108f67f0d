"""Allocated memory over time, by device, from the allocator's own records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.curves import Times, Values

Rows = npt.NDArray[np.int64]


def memory_devices(model: TraceModel) -> list[tuple[int, int, Rows]]:
    """Return (type, number, rows of the memory table) of all devices with records, CPUs first."""
    kind, number = model.column("memory", "device_type"), model.column("memory", "device")
    found = np.unique(np.stack([kind, number]), axis=1).T.tolist() if len(kind) else []
    rows = [(k, n, np.flatnonzero((kind == k) & (number == n))) for k, n in found]
    return sorted(rows, key=lambda one: (not is_cpu(one[0]), one[0], one[1]))


def is_cpu(device_type: int) -> bool:
    """Whether records of this type are about the host's memory."""
    return kinds.DEVICE_TYPES.get(device_type) == "cpu"


def allocated(model: TraceModel, rows: Rows) -> tuple[Times, Values, bool]:
    """Return the allocated bytes of one device after each of its records.

    What was allocated before the first record is what that record says minus its own bytes, and
    stands at the start of the recording.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (n,)
        Rows of the memory table, at least one, in its order.

    Returns
    -------
    times : ndarray of int64, shape (n + 1,)
    values : ndarray of float64, shape (n + 1,)
    known : bool
        False where the records do not say what is allocated in all: then the values count from 0 at
        the start of the recording.
    """
    times = model.column("memory", "time_ns")[rows]
    change = model.column("memory", "bytes")[rows]
    total = model.column("memory", "total_allocated")[rows]
    known = bool((total >= 0).any())
    if known:
        times, change, total = times[total >= 0], change[total >= 0], total[total >= 0]
        before = max(int(total[0] - change[0]), 0)
    else:
        total, before = np.cumsum(change), 0
    start = min(0, int(times[0]))
    return np.append(start, times), np.append(before, total).astype(np.float64), known
