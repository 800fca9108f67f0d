"""The lanes of the timeline: what is drawn beside what, and the row of every slice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from nbprof.timeline.lanes.sublanes import stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.timeline.slices import Slices

Codes = npt.NDArray[np.int32]
LaneKind = Literal["thread", "stream", "module"]


@dataclass(frozen=True)
class Group:
    """What lanes belong to: a process, a device, a part of the recorder, or a module.

    Attributes
    ----------
    key : str
        The same whenever the file is read.
    label, detail : str
        What it is called, and more about it in smaller letters.
    collapsed : bool
        Whether only its name is shown at first.
    """

    key: str
    label: str
    detail: str
    collapsed: bool = False


@dataclass(frozen=True)
class Lane:
    """One lane.

    Attributes
    ----------
    key : str
        The same whenever the file is read.
    group : str
        Key of its group.
    label, detail : str
        What it is called, and more about it in smaller letters.
    kind : str
        ``"thread"``, ``"stream"`` or ``"module"``.
    first_row, depths : int
        Number of its first row, and how many rows it has.
    slices, moved : int
        Slices on it, and those of them that overlap others without being inside them.
    tid, device, stream : int or None
        What filters call it.
    """

    key: str
    group: str
    label: str
    detail: str
    kind: LaneKind
    first_row: int = 0
    depths: int = 0
    slices: int = 0
    moved: int = 0
    tid: int | None = None
    device: int | None = None
    stream: int | None = None


@dataclass(frozen=True)
class LaneSet:
    """All lanes in the order of the screen, and where every slice is.

    Attributes
    ----------
    groups : tuple of Group
    lanes : tuple of Lane
        Those of one group follow each other.
    lane : ndarray of int32, shape (slices,)
        Index into `lanes`, -1 for slices that are not shown.
    depth : ndarray of int32, shape (slices,)
        Within the lane, -1 for slices that are not shown.
    row : ndarray of int32, shape (slices,)
        Number through all lanes: the lane's first row plus the depth, -1 for slices that are not
        shown.
    rows : int
        How many rows there are.
    """

    groups: tuple[Group, ...]
    lanes: tuple[Lane, ...]
    lane: Codes
    depth: Codes
    row: Codes
    rows: int

    @property
    def moved(self) -> int:
        """How many slices overlap others of their lane."""
        return sum(lane.moved for lane in self.lanes)

    def rows_of(self, keys: Sequence[str]) -> list[tuple[int, int]]:
        """Return the ranges of rows of some lanes, last exclusive; unknown keys are left out."""
        wanted = set(keys)
        return [
            (lane.first_row, lane.first_row + lane.depths)
            for lane in self.lanes
            if lane.key in wanted
        ]


def place(
    slices: Slices,
    groups: Sequence[Group],
    lanes: Sequence[Lane],
    lane: Codes,
    parent: npt.NDArray[np.int64],
    *,
    nesting: npt.NDArray[np.int64] | None = None,
) -> LaneSet:
    """Give every slice its row, and the lanes their rows and counts.

    Parameters
    ----------
    slices : Slices
        All slices.
    groups, lanes : sequence of Group, of Lane
        In the order of the screen. Rows and counts of the lanes are filled in here.
    lane : ndarray of int32, shape (slices,)
        Index into `lanes`, -1 for slices that are not shown.
    parent : ndarray of int64, shape (slices,)
        The id of the slice round each one, -1 without one. Those in other lanes do not count.
    nesting : ndarray of int64, shape (slices,), optional
        How many such slices are round each one, where that is known.
    """
    depth, moved = stack(slices, lane, parent, nesting)
    shown = np.flatnonzero(lane >= 0)
    depths = np.zeros(len(lanes), np.int64)
    np.maximum.at(depths, lane[shown], depth[shown] + 1)
    counts = np.bincount(lane[shown], minlength=len(lanes))
    first_row = np.cumsum(depths) - depths
    moved_counts = np.bincount(lane[moved], minlength=len(lanes))
    row = np.full(len(lane), -1, np.int32)
    row[shown] = first_row[lane[shown]] + depth[shown]
    placed = tuple(
        replace(
            one,
            first_row=int(first_row[i]),
            depths=int(depths[i]),
            slices=int(counts[i]),
            moved=int(moved_counts[i]),
        )
        for i, one in enumerate(lanes)
    )
    return LaneSet(tuple(groups), placed, lane, depth, row, int(depths.sum()))
