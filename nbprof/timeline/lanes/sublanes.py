"""Assigns the slices of each lane to rows such that no two slices in a row overlap.

A slice is placed in the first row below its parent's that is free when it starts. For nested slices
this is the row of their nesting depth. A slice that does not fit there is *moved*: it overlaps
another one without being nested in it.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.links.host_nesting import nest
from nbprof.model.links.nesting import depths, nearest_ancestor
from nbprof.timeline.slices import Slices, by_row

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Number of rows beyond the deepest nesting that are filled one by one, each for all lanes at once.
#: The remaining slices all overlap, and processing them one by one is faster.
_ROUNDS: Final = 32


class Stack(NamedTuple):
    """Rows of slices in their lanes.

    Attributes
    ----------
    depth : ndarray of int32, shape (slices,)
        0 at the top, -1 for slices without a lane.
    moved : ndarray of bool, shape (slices,)
        Whether a slice overlaps others of its lane.
    """

    depth: npt.NDArray[np.int32]
    moved: Mask


def nest_within(slices: Slices, ids: Ids, lane: npt.NDArray[np.int32]) -> tuple[Ids, Ids]:
    """Nest slices within their lanes.

    Parameters
    ----------
    slices : Slices
        All slices.
    ids : ndarray of int64, shape (n,)
        Slices to nest.
    lane : ndarray of int32, shape (n,)
        Their lanes.

    Returns
    -------
    ndarray of int64, shape (n,)
        Id of the slice around each one, -1 at the top.
    ndarray of int64, shape (n,)
        Nesting depth of each one.
    """
    start, end = slices.start[ids], slices.end[ids]
    order = np.lexsort((ids, -end, start, lane))
    found = nest(lane[order], start[order], end[order])
    parent, nesting = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
    parent[order] = np.where(found.parent >= 0, ids[order][found.parent], -1)
    nesting[order] = found.depth
    return parent, nesting


def nearest_within(above: Ids, lane: npt.NDArray[np.int32]) -> Ids:
    """Return the nearest slice around each one in its own lane, -1 for none.

    Parameters
    ----------
    above : ndarray of int64, shape (n,)
        The slice around each of the first n slices in any lane, -1 for none.
    lane : ndarray of int32, shape (slices,)
        Their lanes.
    """
    if not len(above):
        return above.copy()
    # Slices of one lane inside each other are a run, such as the frames around an operator. Each
    # round leaves a run at once, not slice by slice: frames may be thousands deep.
    lane = lane[: len(above)]
    ends_run = (above < 0) | (lane[above] != lane)
    outermost = np.where(ends_run, np.arange(len(above)), nearest_ancestor(above, ends_run))
    around_run = above[outermost]
    nearest = above.copy()
    moving = np.flatnonzero(nearest >= 0)
    while len(moving):
        moving = moving[lane[nearest[moving]] != lane[moving]]
        nearest[moving] = around_run[nearest[moving]]
        moving = moving[nearest[moving] >= 0]
    return nearest


def stack(
    slices: Slices, lane: npt.NDArray[np.int32], parent: Ids, nesting: Ids | None = None
) -> Stack:
    """Assign to every slice of every lane a depth at which it overlaps nothing.

    Parameters
    ----------
    slices : Slices
        All slices.
    lane : ndarray of int32, shape (slices,)
        -1 for slices that are not shown.
    parent : ndarray of int64, shape (slices,)
        The id of the slice that contains each one, -1 at the top. Parents in other lanes are
        ignored.
    nesting : ndarray of int64, shape (slices,), optional
        Number of ancestors of each slice in its lane, if known.
    """
    if nesting is None:
        known = parent >= 0
        parent = np.where(known & (lane[parent] == lane), parent, -1) if len(parent) else parent
        nesting = depths(parent)
    depth = np.where(lane < 0, -1, nesting).astype(np.int32)
    moved = np.zeros(len(lane), bool)
    again = _crowded_lanes(slices, lane, depth)
    if len(again):
        ids = np.flatnonzero(np.isin(lane, again))
        order = ids[np.lexsort((slices.end[ids], slices.start[ids], lane[ids]))]
        _fill_rows(_CrowdedSlices(slices, lane, parent, nesting, depth), order)
        above = np.where(parent[order] >= 0, depth[parent[order]], -1)
        moved[order] = depth[order] > above + 1
    return Stack(depth, moved)


def _crowded_lanes(
    slices: Slices, lane: npt.NDArray[np.int32], depth: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return the lanes in which nesting depth alone would put overlapping slices in one row."""
    if not np.any(lane >= 0):
        return np.empty(0, np.int32)
    row = np.where(lane >= 0, lane * (np.int64(depth.max()) + 1) + depth, -1)
    ids = by_row(slices, row)
    same_row = row[ids[1:]] == row[ids[:-1]]
    overlapping = slices.end[ids[:-1]] > slices.start[ids[1:]]
    return np.unique(lane[ids[1:][same_row & overlapping]])


@dataclass(frozen=True)
class _CrowdedSlices:
    """Slices of crowded lanes; `depth` is filled in."""

    slices: Slices
    lane: npt.NDArray[np.int32]
    parent: Ids
    nesting: Ids
    depth: npt.NDArray[np.int32]


def _fill_rows(crowded: _CrowdedSlices, order: Ids) -> None:
    """Set the depths of slices that are sorted by (lane, start, end), row by row."""
    slices, depth = crowded.slices, crowded.depth
    depth[order] = -1
    nesting = crowded.nesting[order]
    deepest = int(nesting.max())
    # No slice lies above its nesting depth, so slices of that depth join at each row.
    by_depth = np.argsort(nesting, kind="stable")
    bounds = np.searchsorted(nesting[by_depth], np.arange(deepest + 2))
    waiting = np.empty(0, np.int64)
    for row in range(deepest + _ROUNDS):
        if row <= deepest:
            waiting = np.concatenate([waiting, by_depth[bounds[row] : bounds[row + 1]]])
            waiting.sort()
        if len(waiting) == 0 and row > deepest:
            return
        ids = order[waiting]
        above = crowded.parent[ids]
        may = np.flatnonzero((above < 0) | (depth[above] >= 0))
        wanting = ids[may]
        taken = _disjoint(crowded.lane[wanting], slices.start[wanting], slices.end[wanting])
        depth[wanting[taken]] = row
        waiting = np.delete(waiting, may[taken])
    _one_by_one(crowded, order[waiting], deepest + _ROUNDS)


def _disjoint(lane: npt.NDArray[np.int32], start: Ids, end: Ids) -> Mask:
    """Return the slices of a row, taking each that starts after the last one taken has ended.

    Slices are sorted by (lane, start, end).
    """
    taken = np.ones(len(start), bool)
    same = lane[1:] == lane[:-1]
    if not np.any(same & (end[:-1] > start[1:])):
        return taken
    # from each slice to the next one in the lane that starts after its end
    bounds = np.flatnonzero(np.concatenate([[True], ~same, [True]]))
    onward = np.empty(len(start), np.int64)
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        onward[first:last] = first + np.searchsorted(start[first:last], end[first:last])
        # for slices of length 0 the search finds the slice itself
        np.maximum(onward[first:last], np.arange(first + 1, last + 1), out=onward[first:last])
        # restart at the first slice of the next lane
    taken[:] = False
    taken[bounds[:-1]] = True
    # pointer doubling: each round reaches twice as far
    onward = np.append(onward, len(start))
    reached = bounds[:-1]
    while len(reached):
        reached = onward[reached]
        reached = reached[reached < len(start)]
        fresh = ~taken[reached]
        taken[reached] = True
        if not fresh.any():
            break
        reached = np.flatnonzero(taken)
        onward = onward[onward]
    return taken


def _one_by_one(crowded: _CrowdedSlices, left: Ids, first_row: int) -> None:
    """Set the depths of slices that all overlap, starting at `first_row`."""
    start_of, end_of, depth = crowded.slices.start, crowded.slices.end, crowded.depth
    left = left[np.lexsort((left, -end_of[left], start_of[left], crowded.lane[left]))]
    current, rows = -1, first_row
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    columns = (left, crowded.lane[left], start_of[left], end_of[left], crowded.parent[left])
    for index, where, start, end, above in zip(*(c.tolist() for c in columns), strict=True):
        if where != current:
            current, rows, busy, free = where, first_row, [], []
        while busy and busy[0][0] <= start:
            insort(free, heapq.heappop(busy)[1])
        lowest = max(first_row, int(depth[above]) + 1 if above >= 0 else 0)
        at = bisect_left(free, lowest)
        if at < len(free):
            row = free.pop(at)
        else:
            row, rows = rows, rows + 1
        heapq.heappush(busy, (end, row))
        depth[index] = row
