"""`Spans`: host rows as time spans, with the device work launched on their thread during each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.links.nesting import first_rows_from

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spans:
    """Selected host rows as spans of time on their threads.

    Attributes
    ----------
    row : ndarray of int64, shape (spans,)
        Row of each span in the host table.
    order : ndarray of int64, shape (launched,)
        Device rows with a known launch, in the order of the host rows that launched them.
    first, last : ndarray of int64, shape (spans,)
        Bounds in `order` of the rows launched in each span, `last` exclusive.
    """

    row: Rows
    order: Rows
    first: Rows
    last: Rows

    @classmethod
    def of(cls, model: TraceModel, chosen: Mask) -> Spans:
        """Build spans from a mask of host rows, shape (host rows,).

        A span contains the launches on its thread from its start to before its end. Nesting plays
        no part, so overlapping spans each contain all of them.
        """
        row = np.flatnonzero(chosen)
        source = sources_of_device(model)
        order = np.argsort(source, kind="stable")
        order = order[np.searchsorted(source[order], 0) :]
        thread, start = model.column("host", "thread"), model.column("host", "start_ns")
        end = start[row] + model.column("host", "duration_ns")[row]
        # Host rows are sorted by thread and start, so the rows that began in a span are contiguous.
        first = first_rows_from(thread, start, row, start[row])
        last = first_rows_from(thread, start, row, end)
        return cls(row, order, *(np.searchsorted(source[order], rows) for rows in (first, last)))

    def launched(self, model: TraceModel, counted: Mask) -> Floats:
        """Return the device time launched inside each span, in nanoseconds, shape (spans,).

        Parameters
        ----------
        model : TraceModel
            The trace.
        counted : ndarray of bool, shape (device rows,)
            Which device rows count.
        """
        time = np.where(counted, model.column("device", "duration_ns"), 0)[self.order]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(time)])
        inside: Floats = (before[self.last] - before[self.first]).astype(np.float64)
        return inside
