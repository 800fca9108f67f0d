"""`Ranges`: host rows as nested ranges, with the device work launched inside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import sums
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.links.nesting import nearest_ancestor

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
        above = nearest_ancestor(model.nesting.parent, chosen)
        inner = np.where(above >= 0, index[above], -1) if len(above) else above
        source = sources_of_device(model)
        of_device = np.full(len(source), -1, np.int64)
        of_device[source >= 0] = inner[source[source >= 0]]
        return cls(row, Forest.of(inner[row]), of_device)

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
