"""Searches slices by name: counts the hits, finds the next or previous one, marks the minimap."""

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
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet

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
    hits = Hits.of(model, search, group_by)
    end_ns = int(model.metadata.get("end_ns", 0))
    return find_in([hits], (0, max(end_ns, 1)), direction, from_slice, from_ns)


@dataclass(frozen=True)
class Hits:
    """The matching slices of one trace, and the offsets of the trace on the screen.

    Attributes
    ----------
    slices : Slices
    lanes : LaneSet
    ids, start, row : ndarray, shape (hits,)
        Id, start and row of each hit within its trace.
    shift_ns, first_row, first_slice : int
        Offsets to add to times, rows and ids.
    """

    slices: Slices
    lanes: LaneSet
    ids: Ids
    start: Ids
    row: npt.NDArray[np.int32]
    shift_ns: int = 0
    first_row: int = 0
    first_slice: int = 0

    @classmethod
    def of(
        cls,
        model: TraceModel,
        search: str,
        group_by: str = "thread",
        *,
        shift_ns: int = 0,
        first_row: int = 0,
        first_slice: int = 0,
    ) -> Hits:
        """Search a trace."""
        slices, lanes = Slices.of(model), lane_set(model, group_by)
        ids = _matching(slices, lanes.row, search)
        start, row = slices.start[ids], lanes.row[ids]
        return cls(slices, lanes, ids, start, row, shift_ns, first_row, first_slice)

    def place_of(self, from_slice: int | None) -> tuple[int, int, int] | None:
        """Return start, row and id of a slice; None if it is of another trace or on no lane."""
        own = -1 if from_slice is None else from_slice - self.first_slice
        if not 0 <= own < len(self.slices) or self.lanes.row[own] < 0:
            return None
        return int(self.slices.start[own]), int(self.lanes.row[own]), own

    def nth(self, place: int) -> tuple[int, int]:
        """Return start and id, on the screen, of the hit at an index."""
        own = _nth(self.start, self.row, self.ids, place)
        return int(self.slices.start[own]) + self.shift_ns, own

    def reference(self, own: int) -> SliceRef | None:
        """Return the position of a slice on the screen."""
        reference = slice_ref(self.slices, self.lanes, own)
        return reference and reference.moved(self.shift_ns, self.first_row, self.first_slice)


def find_in(
    traces: Sequence[Hits],
    extent_ns: tuple[int, int],
    direction: int,
    from_slice: int | None,
    from_ns: int,
) -> Found:
    """Find a hit in several traces on one clock, as `find` does; ties go to the first trace.

    Parameters
    ----------
    traces : sequence of Hits
        The hits of each trace.
    extent_ns : (int, int)
        Start and end of the minimap.
    direction, from_slice, from_ns
        As for `find`, in the ids and times of the screen.
    """
    total = sum(len(hits.ids) for hits in traces)
    if total == 0:
        return Found(0, 0, None, [])
    places = [hits.place_of(from_slice) for hits in traces]
    owner = next((at for at, place in enumerate(places) if place), -1)
    time = places[owner][0] + traces[owner].shift_ns if owner >= 0 else from_ns  # type: ignore[index]
    at = []  # number of earlier hits in each trace
    for number, (hits, place) in enumerate(zip(traces, places, strict=True)):
        # of hits that start at that time, those of earlier traces come before
        other = (time - hits.shift_ns + (number < owner), -1, -1)
        at.append(int(_before(hits.start, hits.row, hits.ids, place or other).sum()))
    here = owner >= 0 and bool(np.any(traces[owner].ids == places[owner][2]))  # type: ignore[index]
    if direction < 0:
        ends = [
            (hits.nth(n - 1), k) for k, (hits, n) in enumerate(zip(traces, at, strict=True)) if n
        ]
        index = sum(at) or total
        last = [(hits.nth(len(hits.ids) - 1), k) for k, hits in enumerate(traces) if len(hits.ids)]
        chosen = max(ends or last, key=lambda pair: (pair[0][0], pair[1]))
    else:
        if direction > 0 and here:
            at[owner] += 1
        left = [
            (hits.nth(n), k)
            for k, (hits, n) in enumerate(zip(traces, at, strict=True))
            if n < len(hits.ids)
        ]
        index = sum(at) % total + 1
        first = [(hits.nth(0), k) for k, hits in enumerate(traces) if len(hits.ids)]
        chosen = min(left or first, key=lambda pair: (pair[0][0], pair[1]))
    (_, own), number = chosen
    return Found(total, index, traces[number].reference(own), _columns(traces, extent_ns))


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
    slices_: Ids = np.flatnonzero(wanted[slices.name] & (row >= 0))
    return slices_


def _before(
    start: Ids, row: npt.NDArray[np.int32], ids: Ids, here: tuple[int, int, int]
) -> npt.NDArray[np.bool_]:
    """Return which hits are before a position in the order of (start, row, id)."""
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


def _columns(traces: Sequence[Hits], extent_ns: tuple[int, int]) -> list[int]:
    low, high = extent_ns
    marked = np.zeros(COLUMNS, bool)
    for hits in traces:
        start = hits.start + (hits.shift_ns - low)
        column = (start * (COLUMNS / max(high - low, 1))).astype(np.int64)
        marked[np.clip(column, 0, COLUMNS - 1)] = True
    columns: list[int] = np.flatnonzero(marked).tolist()
    return columns
