"""`outline`: selects slices and blocks of the whole timeline, for saved state of limited size.

Each lane uses the finest level of detail that its share of the budget allows: its longest slices
are stored individually, the others as blocks. Lanes that need less than their share leave the
remainder to the others. If there are more rows than blocks that fit, the deepest rows are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.timeline.window import (
    BLOCK_BYTES,
    NAME_BYTES,
    ROW_BYTES,
    SLICE_BYTES,
    Runs,
    describe,
    runs_of,
    size_of,
)

if TYPE_CHECKING:
    from nbprof.timeline.lanes.lanes import Lane, LaneSet
    from nbprof.timeline.pyramid import Pyramid
    from nbprof.timeline.window import Ranges, Times, Window


@dataclass(frozen=True)
class Outline:
    """The whole timeline at a coarse level of detail.

    Attributes
    ----------
    window : Window
        All rows that fit, over the whole time; `bin_ns` is that of the coarsest lane.
    individual : int
        Number of slices stored individually.
    in_blocks : int
        Number of slices stored only as part of blocks.
    left_out : int
        Number of slices of these lanes in rows that were left out.
    """

    window: Window
    individual: int
    in_blocks: int
    left_out: int


def outline(pyramid: Pyramid, lanes: LaneSet, max_bytes: int) -> Outline:
    """Return all lanes within a byte budget that includes names.

    Parameters
    ----------
    pyramid : Pyramid
        The slices.
    lanes : LaneSet
        The lanes to show, in the order of their rows; may be a subset.
    max_bytes : int
        Maximum size, excluding the description of the lanes.
    """
    sizes = [_sizes(pyramid, lane) for lane in lanes.lanes]
    budget = float(max_bytes)
    while True:
        levels = _levels(sizes, budget)
        parts = [
            _runs(pyramid, lane, k)
            for lane, k in zip(lanes.lanes, levels, strict=True)
            if lane.slices
        ]
        runs = _concatenate(parts)
        size = size_of(pyramid, runs)
        coarsest = all(k == len(sizes[i]) - 1 for i, k in enumerate(levels))
        if size <= max_bytes or coarsest:
            break
        # The estimate does not include names.
        budget *= min(0.9, max_bytes / size)
    rows = _rows(lanes)[0]
    if size > max_bytes:
        rows, runs = _top_rows(pyramid, lanes, runs, max_bytes)
    bin_ns = 1 << max(levels, default=0)
    end_ns = int(pyramid.end.max(initial=0))
    window = describe(pyramid, runs, (0, end_ns), bin_ns, _ranges(rows))
    single = int(np.count_nonzero(window.count == 1))
    shown = int(window.count.sum())
    wanted = sum(lane.slices for lane in lanes.lanes)
    return Outline(window, single, shown - single, wanted - shown)


def _rows(lanes: LaneSet) -> tuple[Times, Times]:
    """Return the numbers of all rows, ascending, and the depth of each in its lane."""
    none: Times = np.empty(0, np.int64)
    depths = [np.arange(lane.depths) for lane in lanes.lanes]
    first = np.array([lane.first_row for lane in lanes.lanes], np.int64)
    depth = np.concatenate([none, *depths])
    return np.repeat(first, [len(part) for part in depths]) + depth, depth


def _top_rows(pyramid: Pyramid, lanes: LaneSet, runs: Runs, max_bytes: int) -> tuple[Times, Runs]:
    """Return the topmost rows of each lane that fit, and their items."""
    rows, depth = _rows(lanes)
    order = np.argsort(depth, kind="stable")
    place = np.zeros(pyramid.rows, np.int64)
    place[rows[order]] = np.arange(len(rows))
    size = np.full(len(runs.row), SLICE_BYTES + BLOCK_BYTES, np.int64)
    # Each name is stored once, with the first row that uses it.
    by_place = np.argsort(place[runs.row], kind="stable")
    is_single = runs.last - runs.first == 1
    names = np.where(is_single, pyramid.slices.name[pyramid.ids[runs.first]], runs.name)[by_place]
    distinct, at = np.unique(names, return_index=True)
    at, distinct = at[distinct >= 0], distinct[distinct >= 0]
    size[by_place[at]] += pyramid.name_bytes[distinct] + NAME_BYTES
    of_row = np.bincount(place[runs.row], size, len(rows)) + ROW_BYTES
    fitting = int(np.searchsorted(np.cumsum(of_row), max_bytes, side="right"))
    is_kept = place[runs.row] < fitting
    top = Runs(*(getattr(runs, field.name)[is_kept] for field in fields(runs)))
    return np.sort(rows[order[:fitting]]), top


def _ranges(rows: Times) -> Ranges:
    """Return ascending numbers as ranges with exclusive ends."""
    breaks = np.flatnonzero(np.diff(rows) > 1) + 1
    parts = [part for part in np.split(rows, breaks) if len(part)]
    return tuple((int(part[0]), int(part[-1]) + 1) for part in parts)


def _sizes(pyramid: Pyramid, lane: Lane) -> list[int]:
    """Return the size of a lane at every level in bytes, without names."""
    first = int(pyramid.bounds[lane.first_row])
    last = int(pyramid.bounds[lane.first_row + lane.depths])
    joining = np.bincount(pyramid.joins[first:last], minlength=len(pyramid.levels))
    items = (last - first) - np.cumsum(joining[: len(pyramid.levels)])
    # Counts all items as blocks, since most are where size matters.
    size = items * (SLICE_BYTES + BLOCK_BYTES) + ROW_BYTES * lane.depths
    return [int(value) for value in size]


def _levels(sizes: list[list[int]], budget: float) -> list[int]:
    """Return the level of each lane; the budget is divided evenly among lanes that need it."""
    levels = [0] * len(sizes)
    left = budget
    by_need = sorted(range(len(sizes)), key=lambda i: sizes[i][0])
    for done, i in enumerate(by_need):
        share = left / (len(sizes) - done)
        fitting = (k for k, size in enumerate(sizes[i]) if size <= share)
        levels[i] = next(fitting, len(sizes[i]) - 1)
        left -= sizes[i][levels[i]]
    # Levels differ by a factor of two: the remainder may allow one more level.
    for i in by_need:
        finer = sizes[i][max(levels[i] - 1, 0)] - sizes[i][levels[i]]
        if levels[i] and finer <= left:
            levels[i] -= 1
            left -= finer
    return levels


def _runs(pyramid: Pyramid, lane: Lane, k: int) -> Runs:
    rows = np.arange(lane.first_row, lane.first_row + lane.depths)
    return runs_of(pyramid, k, rows, pyramid.bounds[rows], pyramid.bounds[rows + 1])


def _concatenate(parts: list[Runs]) -> Runs:
    """Return the items of all lanes, in the order of the lanes' rows."""
    none: Times = np.empty(0, np.int64)
    codes: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
    names: npt.NDArray[np.int32] = np.empty(0, np.int32)
    whole: npt.NDArray[np.bool_] = np.empty(0, bool)
    return Runs(
        np.concatenate([none, *(part.row for part in parts)]),
        np.concatenate([none, *(part.first for part in parts)]),
        np.concatenate([none, *(part.last for part in parts)]),
        np.concatenate([codes, *(part.category for part in parts)]),
        np.concatenate([names, *(part.name for part in parts)]),
        np.concatenate([whole, *(part.edge for part in parts)]),
    )
