"""Some host rows as ranges inside each other, and the device work launched from inside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.forest import Forest
from nbprof.analysis.grouping import sums
from nbprof.model.links.module_tree import sources_of_device
from nbprof.model.links.nesting import nearest_ancestor

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranges:
    """Some host rows, how they nest, and the innermost of them round each launch.

    Attributes
    ----------
    row : ndarray of int64, shape (ranges,)
        Their rows in the host table.
    forest : Forest
        Which is inside which.
    of_device : ndarray of int64, shape (device rows,)
        Index of the range that a device row was launched in, on the thread of the range, -1 for
        none.
    """

    row: Rows
    forest: Forest
    of_device: Rows

    @classmethod
    def of(cls, model: TraceModel, chosen: Mask) -> Ranges:
        """Take host rows as ranges, by a mask of shape (host rows,)."""
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
