"""Device work launched inside selected host rows, by nesting (`Ranges`) or by time (`Spans`).

`Ranges` follows the nesting of slices: a row without a duration still contains its own launch, and
of rows that overlap without being nested only one contains a launch. `Spans` takes every launch
on the thread between start and end, so that overlapping annotations each contain all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import sums
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.links.nesting import first_rows_from, nearest_ancestor
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranges:
    """Selected host rows, how they nest, and the innermost of them around each launch.

    Attributes
    ----------
    row : ndarray of int64, shape (ranges,)
        Row of each range in the host table.
    forest : Forest
        The nesting of the ranges.
    of_device : ndarray of int64, shape (device rows,)
        Index of the innermost range that launched each device row, on the range's thread; -1 for
        none.
    """

    row: Rows
    forest: Forest
    of_device: Rows

    @classmethod
    def of(cls, model: TraceModel, chosen: Mask) -> Ranges:
        """Build ranges from a mask of host rows, shape (host rows,)."""
        row = np.flatnonzero(chosen)
        index = np.full(len(chosen), -1, np.int64)
        index[row] = np.arange(len(row))
        inner = values_at(index, nearest_ancestor(model.nesting.parent, chosen))
        return cls(row, Forest.of(inner[row]), values_at(inner, sources_of_device(model)))

    def launched(self, model: TraceModel, counted: Mask) -> Floats:
        """Return the device time launched inside each range, in nanoseconds, shape (ranges,).

        Parameters
        ----------
        model : TraceModel
            The trace.
        counted : ndarray of bool, shape (device rows,)
            Which device rows count.
        """
        rows = np.flatnonzero(counted & (self.of_device >= 0))
        duration = model.column("device", "duration_ns")[rows]
        own = sums(self.of_device[rows], duration, len(self.row))
        return self.forest.totals(own)


@dataclass(frozen=True)
class Spans:
    """Selected host rows as time spans on their threads.

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
        """Build spans from a mask of host rows, shape (host rows,)."""
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
        """Return the device time launched inside each span, as `Ranges.launched` does."""
        time = np.where(counted, model.column("device", "duration_ns"), 0)[self.order]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(time)])
        inside: Floats = (before[self.last] - before[self.first]).astype(np.float64)
        return inside
