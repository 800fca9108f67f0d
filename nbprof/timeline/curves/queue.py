"""How much work waits on a stream: launched by the host, not yet begun by the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.rows import work_rows
from nbprof.timeline.curves.curves import Times, Values, add_up

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def queued_rows(model: TraceModel) -> Rows:
    """Return the device rows that wait in queues: work whose launch is known."""
    return np.flatnonzero(work_rows(model) & (model.links.launch >= 0))


def queue_length(model: TraceModel, rows: Rows) -> tuple[Times, Values]:
    """Return how many launches of some device rows had been made and had not begun, over time.

    Each adds one when the launching call starts and takes it away when its work begins. A graph is
    one launch, which begins with the first of its kernels. Work that seems to begin before its
    launch, on clocks that disagree, never waits.

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
    # Rows are in the order of their starts: the first one of each launch is the first to begin.
    calls, first = np.unique(model.links.launch[rows], return_index=True)
    begin = model.column("device", "start_ns")[rows[first]]
    launch = model.column("host", "start_ns")[calls]
    change = np.repeat([1.0, -1.0], len(calls))
    return add_up(np.concatenate([np.minimum(launch, begin), begin]), change)
