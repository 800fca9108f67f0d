"""Length of a stream's launch queue: work that the host launched and the device has not started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.timeline.curves.step_functions import Times, Values, add_up

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def queued_rows(model: TraceModel) -> Rows:
    """Return the device rows with a known launch, which wait in queues."""
    return np.flatnonzero(work_rows(model) & (model.links.launch >= 0))


def queue_length(model: TraceModel, rows: Rows) -> tuple[Times, Values]:
    """Return over time how many launches of the given device rows have not started yet.

    A launch adds one when the launching call starts and subtracts it when its work begins. A graph
    is one launch, which begins with its first kernel. Work that seems to begin before its launch,
    due to clock skew, never waits.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (n,)
        Rows of one stream, from `queued_rows`, ascending.

    Returns
    -------
    times : ndarray of int64, shape (m,)
        Distinct and ascending.
    values : ndarray of float64, shape (m,)
    """
    # Rows are sorted by start, so the first row of each launch is the first to begin.
    calls, first = np.unique(model.links.launch[rows], return_index=True)
    begin = model.column("device", "start_ns")[rows[first]]
    launch = model.column("host", "start_ns")[calls]
    change = np.repeat([1.0, -1.0], len(calls))
    return add_up(np.concatenate([np.minimum(launch, begin), begin]), change)
