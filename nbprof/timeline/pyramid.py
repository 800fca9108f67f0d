"""`Pyramid`: slices at all levels of detail, so the cost of a window depends on what it shows.

Slices are sorted by (row, start). On level k, slices shorter than 2^k ns that follow each other in
a row and start in the same aligned bin of 2^k ns are one *block*; longer ones stay alone. A block
on one level is part of a block on the next, so one number per slice describes all levels: the level
at which it joins the slice before it. A slice is short enough, and in the same bin as the one
before, from the level on that is the bit length of ``duration | start ^ start before``.

An item of a level, slice or block, is therefore a run of slices, and a level is given by the
positions at which its items begin. These are stored for levels that are much shorter than the
stored level below; for the others they are selected from the next finer stored level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.timeline.block_names import BlockNames
from nbprof.timeline.slices import Slices, by_row

if TYPE_CHECKING:
    from nbprof.timeline.lanes.lanes import LaneSet

Times = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int32]
Codes = npt.NDArray[np.uint8]

#: A level is stored if its number of items is at most this fraction of that of the stored level
#: below. All stored positions together then take at most 10/3 times those of the slices.
_WORTH: Final = 0.7

#: Value for slices that join nothing on any level: the first slice of a row.
_NEVER: Final = 255


@dataclass(frozen=True)
class Level:
    """One level of detail.

    Attributes
    ----------
    first : ndarray of int32, shape (items,), or None
        Positions at which items of this level, or of the stored level below it, begin; None for
        every position.
    category : ndarray of uint8, shape (items,)
        Category with the most time in the item that begins there; undefined elsewhere.
    name : ndarray of int16 or int32, shape (items,), or None
        Name with the most time in the item of the stored level that begins there, see
        `nbprof.timeline.block_names`; None if that is a slice.
    exact : bool
        Whether an item of this level begins at every position in `first`.
    """

    first: Positions | None
    category: Codes
    name: Positions | npt.NDArray[np.int16] | None
    exact: bool


@dataclass(frozen=True)
class Pyramid:
    """The slices sorted by (row, start), and their levels of detail.

    Attributes
    ----------
    slices : Slices
        All slices of the trace.
    ids : ndarray of int32, shape (shown,)
        Slice id at each position.
    start, end : ndarray of int64, shape (shown,)
        Both ascend within a row.
    bounds : ndarray of int64, shape (rows + 1,)
        Position of the start of each row.
    busy : ndarray of int64, shape (shown + 1,)
        Total duration of the slices before each position.
    joins : ndarray of uint8, shape (shown,)
        First level at which a slice is in a block with the slice before it.
    levels : tuple of Level
        By k; higher levels equal the last.
    name_bytes : ndarray of int64, shape (names,)
        Length of each name in UTF-8.
    """

    slices: Slices
    ids: Positions
    start: Times
    end: Times
    bounds: Times
    busy: Times
    joins: Codes
    levels: tuple[Level, ...]
    name_bytes: Times

    @classmethod
    def build(cls, slices: Slices, lanes: LaneSet) -> Pyramid:
        """Sort the slices that lanes show and compute their levels."""
        ids = by_row(slices, lanes.row)
        row, start, end = lanes.row[ids], slices.start[ids], slices.end[ids]
        busy = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(end - start, out=busy[1:])
        joins = _join_levels(row, start, end)
        category = slices.category[ids]
        return cls(
            slices=slices,
            ids=ids.astype(np.int32),
            start=start,
            end=end,
            bounds=np.searchsorted(row, np.arange(lanes.rows + 1, dtype=np.int32)),
            busy=busy,
            joins=joins,
            levels=_find_levels(joins, category, slices.name[ids], end - start),
            name_bytes=np.array([len(name.encode()) for name in slices.names], np.int64),
        )

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.bounds) - 1

    @property
    def nbytes(self) -> int:
        """Memory of the pyramid without the slices."""
        arrays: dict[int, int] = {
            id(array): array.nbytes
            for array in (self.ids, self.start, self.end, self.bounds, self.busy, self.joins)
        }
        for level in self.levels:
            arrays[id(level.category)] = level.category.nbytes
            if level.name is not None:
                arrays[id(level.name)] = level.name.nbytes
            if level.first is not None:
                arrays[id(level.first)] = level.first.nbytes
        return sum(arrays.values())

    def level(self, k: int) -> Level:
        """Return level k, whose blocks start within aligned bins of 2^k ns."""
        return self.levels[min(k, len(self.levels) - 1)]


def dominant(category: Codes, duration: Times, first: Times, last: Times) -> Codes:
    """Return the category with the most time in each run of slices.

    Ties go to the smaller code; without any time it is the category of the first slice.

    Parameters
    ----------
    category, duration : ndarray, shape (slices,)
        Category and duration of the slices.
    first, last : ndarray of int, shape (runs,)
        Start and end of each run, last exclusive; none is empty.
    """
    dominant_category = category[first]
    most = np.zeros(len(first), np.int64)
    prefix = np.zeros(len(category) + 1, np.int64)
    for code in np.flatnonzero(np.bincount(category)).astype(np.uint8):
        np.cumsum(np.where(category == code, duration, 0), out=prefix[1:])
        time = prefix[last] - prefix[first]
        more = time > most
        most[more] = time[more]
        dominant_category[more] = code
    return dominant_category


def _join_levels(row: Positions, start: Times, end: Times) -> Codes:
    joins = np.full(len(row), _NEVER, np.uint8)
    duration = end - start
    bits = start[1:] ^ start[:-1]
    # The slice before needs no check for length: it ends where this one starts or earlier.
    bits |= duration[1:]
    joins[1:] = np.where(row[1:] == row[:-1], _bit_length(bits), _NEVER)
    return joins


def _bit_length(values: Times) -> Codes:
    """Return the number of bits of each value, 64 for negative ones."""
    exact = 2**53
    if len(values) and (values.max() >= exact or values.min() < 0):
        unsigned = values.view(np.uint64)
        high = _bit_length((unsigned >> np.uint64(32)).view(np.int64))
        low = _bit_length((unsigned & np.uint64(0xFFFFFFFF)).view(np.int64))
        return np.where(high > 0, high + np.uint8(32), low)
    # These are exact as doubles, whose exponent gives the length; that of 0 is far below.
    exponent = values.astype(np.float64).view(np.int64) >> 52
    length: Codes = np.maximum(exponent - 1022, 0).astype(np.uint8)
    return length


def _find_levels(
    joins: Codes, category: Codes, name: Positions, duration: Times
) -> tuple[Level, ...]:
    """Return all levels up to the one at which the last slices join."""
    changing = [k for k in np.flatnonzero(np.bincount(joins)).tolist() if k != _NEVER]
    mixed, found = _mixed_blocks(joins, category, duration, changing)
    levels = []
    level = Level(None, category, None, exact=True)
    names = BlockNames(name, duration)
    first, of_first, own = np.arange(len(joins), dtype=np.int32), joins, category
    kept, of_kept = first, joins
    for k in range(max(changing, default=0) + 1):
        if k in mixed:
            begins = of_first > k
            first, of_first, own = first[begins], of_first[begins], own[begins]
            own[mixed[k]] = found[k]
            names.merge(begins)
            if len(first) <= _WORTH * len(kept):
                kept, of_kept = first, of_first
                level = Level(kept, own, names.short, exact=True)
            else:
                spread = np.zeros(len(kept), np.uint8)
                spread[of_kept > k] = own
                level = Level(level.first, spread, level.name, exact=False)
        levels.append(level)
    return tuple(levels)


def _mixed_blocks(
    joins: Codes, category: Codes, duration: Times, changing: list[int]
) -> tuple[dict[int, Times], dict[int, Codes]]:
    """Find the blocks that grow at each level and contain several categories.

    Returns
    -------
    places : dict of int to ndarray of int64
        Positions among the items of each level.
    categories : dict of int to ndarray of uint8
        Their categories with the most time, by level.
    """
    changes = np.zeros(len(joins), np.int32)
    np.cumsum(category[1:] != category[:-1], out=changes[1:])
    first, of_first = np.arange(len(joins), dtype=np.int32), joins
    places: dict[int, Times] = {}
    firsts, lasts = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for k in changing:
        begins = of_first > k
        # positions that no longer begin an item belong to the item before
        gone = np.flatnonzero(~begins)
        grown = gone - np.arange(1, len(gone) + 1)
        grown = grown[np.diff(grown, prepend=-1) > 0]
        first, of_first = first[begins], of_first[begins]
        following = np.minimum(grown + 1, len(first) - 1)
        last = np.where(grown + 1 < len(first), first[following], np.int32(len(joins)))
        several = changes[last - 1] != changes[first[grown]]
        places[k] = grown[several]
        firsts.append(first[places[k]])
        lasts.append(last[several])
    # all blocks at once, as each category costs a pass over all slices
    found = dominant(category, duration, np.concatenate(firsts), np.concatenate(lasts))
    bounds = np.cumsum([len(part) for part in firsts])
    return places, dict(zip(changing, np.split(found, bounds[1:-1]), strict=True)) if places else {}
