"""`BlockNames`: the name that represents each block of the timeline, level by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Names = npt.NDArray[np.int32]


@dataclass
class BlockNames:
    """The representative name of each item of a level, updated as levels get coarser.

    Each item of a block contributes its name, with its time. The name with the most time represents
    the block. Unless many names have about equal times, this is the name with the most time of all
    slices in the block, and it is found without adding up every name of every block.

    Attributes
    ----------
    name : ndarray of int32, shape (items,)
        Index into the names of the slices, -1 for slices without a name.
    time : ndarray of int64, shape (items,)
        Time of the slices of this name in the item.
    """

    name: Names
    time: Times

    @property
    def short(self) -> npt.NDArray[np.int16] | Names:
        """The names in the smallest integer type that holds them."""
        few = not len(self.name) or self.name.max() <= np.iinfo(np.int16).max
        return self.name.astype(np.int16) if few else self.name

    def merge(self, begins: npt.NDArray[np.bool_]) -> None:
        """Merge items that are part of the item before on the next level.

        Parameters
        ----------
        begins : ndarray of bool, shape (items,)
            Which items begin an item of the next level; the first one does.
        """
        heads = np.flatnonzero(begins)
        size = np.diff(heads, append=len(begins))
        name, time = self.name, self.time
        self.name, self.time = name[begins], time[begins]
        # Most blocks that grow are pairs, and the longer item of a pair represents both.
        pairs = np.flatnonzero(size == 2)
        first = heads[pairs]
        equal = name[first] == name[first + 1]
        second = ~equal & (time[first + 1] > time[first])
        self.name[pairs] = np.where(second, name[first + 1], name[first])
        both = time[first] + np.where(equal, time[first + 1], 0)
        self.time[pairs] = np.where(second, time[first + 1], both)
        self._merge_many(np.flatnonzero(size > 2), heads, size, name, time)

    def _merge_many(
        self, grown: Times, heads: Times, size: Times, name: Names, time: Times
    ) -> None:
        """Merge the items of blocks with three or more items."""
        if not len(grown):
            return
        bounds = np.cumsum(size[grown])
        of = np.repeat(np.arange(len(grown)), size[grown])
        members = np.arange(bounds[-1]) + np.repeat(
            heads[grown] - bounds + size[grown], size[grown]
        )
        name, time = name[members], time[members]
        order = np.argsort(of * (int(name.max()) + 2) + name, kind="stable")
        name, time = name[order], time[order]
        fresh = np.ones(len(of), bool)
        fresh[1:] = (of[1:] != of[:-1]) | (name[1:] != name[:-1])
        starts = np.flatnonzero(fresh)
        sums, of, name = np.add.reduceat(time, starts), of[starts], name[starts]
        first_of_group = np.flatnonzero(np.diff(of, prepend=-1))
        most = np.flatnonzero(sums == np.maximum.reduceat(sums, first_of_group)[of])
        best = most[np.flatnonzero(np.diff(of[most], prepend=-1))]
        self.name[grown], self.time[grown] = name[best], sums[best]
