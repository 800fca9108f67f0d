"""`Window`: the items a time window shows, at most two per row and pixel column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.timeline.pyramid import dominant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.timeline.pyramid import Pyramid

Times = npt.NDArray[np.int64]
Ranges = tuple[tuple[int, int], ...]

#: Maximum bytes of a reply, chosen so that the whole message stays below 1 MB.
MAX_BYTES: Final = 900_000

#: Bytes in the reply of a slice, additional bytes of a block, and bytes of a row.
SLICE_BYTES: Final = 8 + 8 + 4 + 4 + 1
BLOCK_BYTES: Final = 4 + 4 + 8 + 4
ROW_BYTES: Final = 9 * 4
#: Bytes of each name besides its text: its colour, quotes and commas.
NAME_BYTES: Final = 12


@dataclass(frozen=True)
class Window:
    """Slices and blocks sorted by (row, start); all arrays have shape (items,).

    Attributes
    ----------
    start_ns, end_ns : int
        The requested window.
    bin_ns : int
        Slices shorter than this that start in the same aligned bin of this length form a block.
    rows : tuple of (int, int)
        Ranges of the rows included, last exclusive, ascending.
    row : ndarray of int32
    start, end : ndarray of int64
        For a block, the start of its first slice and the end of its last.
    slice : ndarray of int32
        Slice id; for a block, that of its first slice.
    name : ndarray of int32
        Index into `Slices.names`, -1 for blocks.
    block_name : ndarray of int32
        For a block, the name with the most time, as an index into `Slices.names`; may be -1.
    category : ndarray of uint8
        For a block, the category with the most time.
    count : ndarray of int64
        Number of slices in an item; 1 for a slice.
    busy : ndarray of int64
        Total time of those slices.
    """

    start_ns: int
    end_ns: int
    bin_ns: int
    rows: Ranges
    row: npt.NDArray[np.int32]
    start: Times
    end: Times
    slice: npt.NDArray[np.int32]
    name: npt.NDArray[np.int32]
    block_name: npt.NDArray[np.int32]
    category: npt.NDArray[np.uint8]
    count: Times
    busy: Times

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.row)


@dataclass(frozen=True)
class Runs:
    """Items as runs of positions: `first` to `last`, last exclusive, all of shape (items,).

    `edge` marks the first and last of each row, which may be parts of blocks; `category` and `name`
    are those of the whole block.
    """

    row: Times
    first: Times
    last: Times
    category: npt.NDArray[np.uint8]
    name: npt.NDArray[np.int32]
    edge: npt.NDArray[np.bool_]


def query(
    pyramid: Pyramid,
    start_ns: int,
    end_ns: int,
    width: int,
    rows: Sequence[tuple[int, int]],
    *,
    max_bytes: int = MAX_BYTES,
) -> Window:
    """Return the items that rows show in a window.

    The items represent exactly the slices that overlap the window, including those of length 0 from
    its start on: ``start < end_ns and (end > start_ns or start >= start_ns)``.

    Parameters
    ----------
    pyramid : Pyramid
        The slices.
    start_ns, end_ns : int
        The window.
    width : int
        Number of pixel columns. The bin is the smallest power of two that is at least as long as
        one of them.
    rows : sequence of (int, int)
        Ranges of rows, last exclusive.
    max_bytes : int
        Maximum size of the reply; bins are lengthened until it fits.

    Raises
    ------
    ValueError
        The window ends before it starts or has no columns.
    """
    if end_ns < start_ns or width < 1:
        message = f"A window from {start_ns} to {end_ns} ns with {width} columns is invalid."
        raise ValueError(message)
    ranges = _merged(rows, pyramid.rows)
    wanted = spread([low for low, _ in ranges], [high for _, high in ranges])
    low, high = _positions(pyramid, wanted, start_ns, end_ns)
    filled = high > low
    wanted, low, high = wanted[filled], low[filled], high[filled]
    k = level_for(end_ns - start_ns, width)
    while True:
        runs = runs_of(pyramid, k, wanted, low, high)
        if k >= len(pyramid.levels) or size_of(pyramid, runs) <= max_bytes:
            break
        k += 1
    return describe(pyramid, runs, (start_ns, end_ns), 1 << k, ranges)


def level_for(span_ns: int, width: int) -> int:
    """Return the smallest k such that a bin of 2^k ns is at least as long as a column."""
    return max(-(-span_ns // width) - 1, 0).bit_length()


def _positions(pyramid: Pyramid, rows: Times, start_ns: int, end_ns: int) -> tuple[Times, Times]:
    """Return start and end positions of the slices of each row that lie in a window."""
    first, last = pyramid.bounds[rows], pyramid.bounds[rows + 1]
    high = _search(pyramid.start, first, last, end_ns)
    # first slice that ends after the start or, if of length 0, starts at it
    low = np.minimum(
        _search(pyramid.end, first, last, start_ns + 1),
        _search(pyramid.start, first, last, start_ns),
    )
    return low, high


def _search(values: Times, first: Times, last: Times, limit: int) -> Times:
    """Return the first position in each range whose value is `limit` or more."""
    low, high = first.copy(), last.copy()
    for _ in range(int((last - first).max(initial=0)).bit_length()):
        middle = (low + high) // 2
        open_ = low < high
        less = open_ & (values[np.minimum(middle, len(values) - 1)] < limit)
        low = np.where(less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
    return low


def runs_of(pyramid: Pyramid, k: int, rows: Times, low: Times, high: Times) -> Runs:
    """Return the items of level k in ranges of positions, one non-empty range per row."""
    level = pyramid.level(k)
    begin, end = low, high
    if level.first is not None:
        # the same type as the array searched, which would be copied otherwise
        begin = np.searchsorted(level.first, low.astype(np.int32), side="right") - 1
        end = np.searchsorted(level.first, high.astype(np.int32), side="left")
    index = spread(begin, end)
    items = end - begin
    row = np.repeat(np.arange(len(rows)), items)
    head = np.cumsum(items) - items
    first = index if level.first is None else level.first[index].astype(np.int64)
    named = pyramid.slices.name[pyramid.ids[index]] if level.name is None else level.name[index]
    if not level.exact:
        begins = pyramid.joins[first] > k
        begins[head] = True
        end = np.append(first[1:], 0)
        end[np.cumsum(items) - 1] = high
        named = named[_longest(pyramid.busy[end] - pyramid.busy[first], begins)]
        index, row, first = index[begins], row[begins], first[begins]
        head = np.flatnonzero(np.diff(row, prepend=-1))
    edge = np.zeros(len(first), bool)
    edge[head] = True
    first[head] = np.maximum(first[head], low)
    tail = np.append(head[1:], len(first)) - 1 if len(head) else head
    edge[tail] = True
    last = np.empty_like(first)
    last[:-1] = first[1:]
    last[tail] = high
    return Runs(rows[row], first, last, level.category[index], named.astype(np.int32), edge)


def _longest(time: Times, begins: npt.NDArray[np.bool_]) -> Times:
    """Return the stored item with the most time in each block; ties go to the first.

    Parameters
    ----------
    time : ndarray of int64, shape (items,)
        Time of the slices of each stored item.
    begins : ndarray of bool, shape (items,)
        Whether a block begins with it.
    """
    heads = np.flatnonzero(begins)
    if not len(heads):
        return heads
    block = np.cumsum(begins) - 1
    most = np.flatnonzero(time >= np.maximum.reduceat(time, heads)[block])
    return most[np.flatnonzero(np.diff(block[most], prepend=-1))]


def size_of(pyramid: Pyramid, runs: Runs) -> int:
    """Return the size of items in a reply in bytes, including names."""
    count = runs.last - runs.first
    is_single = count == 1
    used = np.zeros(len(pyramid.name_bytes), bool)
    for codes in (pyramid.slices.name[pyramid.ids[runs.first[is_single]]], runs.name[~is_single]):
        used[codes[codes >= 0]] = True
    names = int(pyramid.name_bytes[used].sum()) + NAME_BYTES * int(used.sum())
    blocks = len(count) - int(np.count_nonzero(is_single))
    rows = int(np.count_nonzero(np.diff(runs.row, prepend=-1)))
    return SLICE_BYTES * len(count) + BLOCK_BYTES * blocks + ROW_BYTES * rows + names


def describe(
    pyramid: Pyramid, runs: Runs, window: tuple[int, int], bin_ns: int, ranges: Ranges
) -> Window:
    """Return items with everything needed to draw them."""
    slices, first, last = pyramid.slices, runs.first, runs.last
    ids = pyramid.ids[first]
    count = last - first
    is_single = count == 1
    category = np.where(is_single, slices.category[ids], runs.category)
    cut = np.flatnonzero(runs.edge & ~is_single)
    if len(cut):
        inside = spread(first[cut], last[cut])
        bounds = np.concatenate([[0], np.cumsum(count[cut])])
        category[cut] = dominant(
            slices.category[pyramid.ids[inside]],
            pyramid.end[inside] - pyramid.start[inside],
            bounds[:-1],
            bounds[1:],
        )
    return Window(
        start_ns=window[0],
        end_ns=window[1],
        bin_ns=bin_ns,
        rows=ranges,
        row=runs.row.astype(np.int32),
        start=pyramid.start[first],
        end=pyramid.end[last - 1],
        slice=ids,
        name=np.where(is_single, slices.name[ids], -1).astype(np.int32),
        block_name=np.where(is_single, -1, runs.name).astype(np.int32),
        category=category,
        count=count,
        busy=pyramid.busy[last] - pyramid.busy[first],
    )


def spread(first: npt.ArrayLike, last: npt.ArrayLike) -> Times:
    """Return all integers of consecutive ranges, last exclusive."""
    low = np.asarray(first, np.int64)
    length = np.asarray(last, np.int64) - low
    before = np.cumsum(length) - length
    whole: Times = np.arange(length.sum()) + np.repeat(low - before, length)
    return whole


def _merged(rows: Sequence[tuple[int, int]], count: int) -> Ranges:
    """Return ranges of rows sorted, disjoint, and clipped to existing rows."""
    found: list[tuple[int, int]] = []
    for low, high in sorted((max(low, 0), min(high, count)) for low, high in rows):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        elif low < high:
            found.append((low, high))
    return tuple(found)
