"""Search for slices by name: their number, the next or previous one, and where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.filters.patterns import match_names
from nbprof.timeline.curves.minimap import COLUMNS
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slice_refs import SliceRef, slice_ref
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Found:
    """The result of a search; `Found` in `js/src/views/timeline/data/messages.ts`.

    Attributes
    ----------
    count : int
        Number of matching slices on all lanes.
    index : int
        Number of the hit among them, sorted by start, from 1; 0 without a hit.
    hit : SliceRef or None
        The requested slice.
    columns : list of int
        Columns of the minimap in which matching slices start.
    """

    count: int
    index: int
    hit: SliceRef | None
    columns: list[int]


def find(
    model: TraceModel,
    search: str,
    *,
    direction: int = 0,
    from_slice: int | None = None,
    from_ns: int = 0,
    group_by: str = "thread",
) -> Found:
    """Find slices by name and the one to go to.

    Hits are sorted by start, then by row; after the last one comes the first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    search : str
        As in `Filter.name`: part of the name or ``/regular expression/``. Empty finds nothing.
    direction : {1, -1, 0}
        The next hit, the previous one, or the slice itself if it is a hit, otherwise the next.
    from_slice : int, optional
        Id of the slice to start from.
    from_ns : int
        Time to start from without a slice, or if it is on no lane.
    group_by : {"thread", "module"}
        How lanes are grouped.

    Raises
    ------
    FilterError
        The regular expression cannot be compiled.
    ValueError
        The grouping is unknown.
    """
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    ids = _matching(slices, lanes.row, search)
    if len(ids) == 0:
        return Found(0, 0, None, [])
    start, row = slices.start[ids], lanes.row[ids]
    if from_slice is not None and 0 <= from_slice < len(slices) and lanes.row[from_slice] >= 0:
        here = (int(slices.start[from_slice]), int(lanes.row[from_slice]), from_slice)
    else:
        here = (from_ns, -1, -1)  # before anything that starts then
    before = _before(start, row, ids, here)
    at = before.sum()
    if direction < 0:
        place = at - 1
    elif direction > 0:
        place = at + int(here[2] >= 0 and bool(np.any(ids == here[2])))
    else:
        place = at
    place = int(place) % len(ids)
    hit = _nth(start, row, ids, place)
    return Found(len(ids), place + 1, slice_ref(slices, lanes, hit), _columns(model, start))


def _matching(slices: Slices, row: npt.NDArray[np.int32], search: str) -> Ids:
    """Return the ids of slices on lanes whose name matches, shape (n,), ascending.

    Each distinct name is compared once.
    """
    if not search:
        return np.empty(0, np.int64)
    # one more at the end for slices without a name, whose code is -1
    wanted = np.append(match_names(slices.names, search), False)
    wanted[list(slices.recorded)] |= match_names([*slices.recorded.values()], search)
    if not wanted.any():
        return np.empty(0, np.int64)
    found: Ids = np.flatnonzero(wanted[slices.name] & (row >= 0))
    return found


def _before(
    start: Ids, row: npt.NDArray[np.int32], ids: Ids, here: tuple[int, int, int]
) -> npt.NDArray[np.bool_]:
    """Return which hits come before a position in the order of (start, row, id)."""
    time, own_row, own_id = here
    before: npt.NDArray[np.bool_] = start < time
    tied = np.flatnonzero(start == time)
    if len(tied):
        before[tied] = (row[tied] < own_row) | ((row[tied] == own_row) & (ids[tied] < own_id))
    return before


def _nth(start: Ids, row: npt.NDArray[np.int32], ids: Ids, place: int) -> int:
    """Return the hit with a given number of hits before it, without sorting all."""
    time = np.partition(start, place)[place]
    tied = np.flatnonzero(start == time)
    order = np.lexsort((ids[tied], row[tied]))
    return int(ids[tied[order[place - int((start < time).sum())]]])


def _columns(model: TraceModel, start: Ids) -> list[int]:
    length = max(int(model.metadata.get("end_ns", 0)), 1)
    column = (start * (COLUMNS / length)).astype(np.int64)
    marked = np.zeros(COLUMNS, bool)
    marked[np.clip(column, 0, COLUMNS - 1)] = True
    columns: list[int] = np.flatnonzero(marked).tolist()
    return columns
