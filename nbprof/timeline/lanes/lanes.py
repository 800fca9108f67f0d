"""`LaneSet`, `Lane` and `Group`: the lanes in screen order, and the row of every slice."""

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
    """A group of lanes: a process, a device, a part of the recorder's lanes, or a module.

    Attributes
    ----------
    key : str
        Stable key: the same whenever the file is read.
    label, detail : str
        Name, and details in smaller letters.
    collapsed : bool
        Whether it is collapsed at first.
    as_lane : bool
        Whether its lanes are drawn as one while it is collapsed, each with a row of a few pixels.
    """

    key: str
    label: str
    detail: str
    collapsed: bool = False
    as_lane: bool = False


@dataclass(frozen=True)
class Lane:
    """One lane.

    Attributes
    ----------
    key : str
        Stable key: the same whenever the file is read.
    group : str
        Key of its group.
    label, detail : str
        Name, and details in smaller letters.
    kind : str
        ``"thread"``, ``"stream"`` or ``"module"``.
    first_row, depths : int
        Its first row, and its number of rows.
    slices, moved : int
        Number of its slices, and of those that overlap others without being nested.
    tid, device, stream : int or None
        Numbers for filters.
    folded : str
        Noun of its rows, if only the first one is shown initially.
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
    folded: str = ""


@dataclass(frozen=True)
class LaneSet:
    """All lanes in screen order, and the lane and row of every slice.

    Attributes
    ----------
    groups : tuple of Group
    lanes : tuple of Lane
        Lanes of a group are consecutive.
    lane : ndarray of int32, shape (slices,)
        Index into `lanes`, -1 for slices that are not shown.
    depth : ndarray of int32, shape (slices,)
        Row within the lane, -1 for slices that are not shown.
    row : ndarray of int32, shape (slices,)
        Row over all lanes: the lane's first row plus the depth, -1 for slices that are not shown.
    rows : int
        Number of rows.
    """

    groups: tuple[Group, ...]
    lanes: tuple[Lane, ...]
    lane: Codes
    depth: Codes
    row: Codes
    rows: int

    @property
    def moved(self) -> int:
        """Number of slices that overlap others of their lane."""
        return sum(lane.moved for lane in self.lanes)


def place(
    slices: Slices,
    groups: Sequence[Group],
    lanes: Sequence[Lane],
    lane: Codes,
    parent: npt.NDArray[np.int64],
    *,
    nesting: npt.NDArray[np.int64] | None = None,
) -> LaneSet:
    """Assign a row to every slice, and rows and counts to the lanes.

    Parameters
    ----------
    slices : Slices
        All slices.
    groups, lanes : sequence of Group, of Lane
        In screen order. Rows and counts of the lanes are filled in here.
    lane : ndarray of int32, shape (slices,)
        Index into `lanes`, -1 for slices that are not shown.
    parent : ndarray of int64, shape (slices,)
        Id of the slice around each one, -1 for none. Slices in other lanes are ignored.
    nesting : ndarray of int64, shape (slices,), optional
        Nesting depth of each slice in its lane, if known.
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
