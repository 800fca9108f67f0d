"""`Forest`: nested slices, prepared for sums over subtrees."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import depths

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """Nested slices, sorted by depth for sums over subtrees.

    Attributes
    ----------
    parent : ndarray of int64, shape (slices,)
        Index of the slice around each, -1 at the top.
    levels : list of ndarray of int64
        Indices of the slices at each depth below the top one, deepest first.
    """

    parent: Rows
    levels: list[Rows]

    @classmethod
    def of(cls, parent: Rows) -> Forest:
        """Build a forest from the parent of each slice."""
        depth = depths(parent)
        if depth.max(initial=0) <= np.iinfo(np.int16).max:
            depth = depth.astype(np.int16)  # NumPy sorts these in one pass
        by_depth = np.argsort(depth, kind="stable")
        bounds = np.searchsorted(depth[by_depth], np.arange(1, depth.max(initial=0) + 2))
        return cls(parent, [by_depth[a:b] for a, b in pairwise(bounds)][::-1])

    def totals(self, own: Floats) -> Floats:
        """Return for each slice its own value plus the values of all slices inside it."""
        total: Floats = own.copy()
        for level in self.levels:  # one iteration per level of nesting
            some = level[total[level] != 0]
            np.add.at(total, self.parent[some], total[some])
        return total
