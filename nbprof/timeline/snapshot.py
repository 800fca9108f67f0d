"""The whole trace in a few hundred kilobytes: what can be seen where no Python answers.

Every lane is shown on the finest level that its share of the budget allows, so that its longest
slices are there one by one and the others as blocks. Lanes that need less than their share leave
the rest to the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.timeline.window import (
    BLOCK_BYTES,
    ROW_BYTES,
    SLICE_BYTES,
    Runs,
    describe,
    runs_of,
    size_of,
)

if TYPE_CHECKING:
    from nbprof.timeline.lanes import Lane, LaneSet
    from nbprof.timeline.pyramid import Pyramid
    from nbprof.timeline.window import Times, Window


@dataclass(frozen=True)
class Snapshot:
    """The whole trace, coarse.

    Attributes
    ----------
    window : Window
        All rows from start to end; `bin_ns` is that of the coarsest lane.
    alone : int
        Slices that are there one by one.
    in_blocks : int
        Slices that are only counted in blocks.
    """

    window: Window
    alone: int
    in_blocks: int


def snapshot(pyramid: Pyramid, lanes: LaneSet, max_bytes: int) -> Snapshot:
    """Return all lanes in no more bytes than allowed, names included.

    Where there are so many rows that one block each is too much, it is one block each all the same.

    Parameters
    ----------
    pyramid : Pyramid
        The slices.
    lanes : LaneSet
        Their lanes.
    max_bytes : int
        What the reply may take, without what describes the lanes.
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
        runs = _joined(parts)
        size = size_of(pyramid, runs)
        coarsest = all(k == len(sizes[i]) - 1 for i, k in enumerate(levels))
        if size <= max_bytes or coarsest:
            break
        # Names were not in the estimate.
        budget *= min(0.9, max_bytes / size)
    bin_ns = 1 << max(levels, default=0)
    end_ns = int(pyramid.end.max(initial=0))
    ranges = ((0, pyramid.rows),) if pyramid.rows else ()
    window = describe(pyramid, runs, (0, end_ns), bin_ns, ranges)
    alone = int(np.count_nonzero(window.count == 1))
    return Snapshot(window, alone, int(window.count.sum()) - alone)


def _sizes(pyramid: Pyramid, lane: Lane) -> list[int]:
    """Return what a lane takes on every level, in bytes, names aside."""
    first = int(pyramid.bounds[lane.first_row])
    last = int(pyramid.bounds[lane.first_row + lane.depths])
    joining = np.bincount(pyramid.joins[first:last], minlength=len(pyramid.levels))
    items = (last - first) - np.cumsum(joining[: len(pyramid.levels)])
    # As if all were blocks: where it matters, most are.
    size = items * (SLICE_BYTES + BLOCK_BYTES) + ROW_BYTES * lane.depths
    return [int(value) for value in size]


def _levels(sizes: list[list[int]], budget: float) -> list[int]:
    """Return the level of each lane, dividing the budget evenly among those that need it."""
    levels = [0] * len(sizes)
    left = budget
    by_need = sorted(range(len(sizes)), key=lambda i: sizes[i][0])
    for done, i in enumerate(by_need):
        share = left / (len(sizes) - done)
        fitting = (k for k, size in enumerate(sizes[i]) if size <= share)
        levels[i] = next(fitting, len(sizes[i]) - 1)
        left -= sizes[i][levels[i]]
    # A level is half as fine or twice: what is left may do for one more.
    for i in by_need:
        finer = sizes[i][max(levels[i] - 1, 0)] - sizes[i][levels[i]]
        if levels[i] and finer <= left:
            levels[i] -= 1
            left -= finer
    return levels


def _runs(pyramid: Pyramid, lane: Lane, k: int) -> Runs:
    rows = np.arange(lane.first_row, lane.first_row + lane.depths)
    return runs_of(pyramid, k, rows, pyramid.bounds[rows], pyramid.bounds[rows + 1])


def _joined(parts: list[Runs]) -> Runs:
    """Return the items of all lanes; lanes are in the order of their rows."""
    none: Times = np.empty(0, np.int64)
    codes: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
    whole: npt.NDArray[np.bool_] = np.empty(0, bool)
    return Runs(
        np.concatenate([none, *(part.row for part in parts)]),
        np.concatenate([none, *(part.first for part in parts)]),
        np.concatenate([none, *(part.last for part in parts)]),
        np.concatenate([codes, *(part.category for part in parts)]),
        np.concatenate([whole, *(part.edge for part in parts)]),
    )
