"""A slice as messages name it: its id, and where on the screen it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbprof.timeline.lanes.lanes import LaneSet
    from nbprof.timeline.slices import Slices


@dataclass(frozen=True)
class SliceRef:
    """Where a slice is; `SliceRef` in `js/src/views/timeline/data/messages.ts`."""

    slice: int
    row: int
    start_ns: int
    end_ns: int


def slice_ref(slices: Slices, lanes: LaneSet, slice_id: int) -> SliceRef | None:
    """Return where a slice is, None for one that is on no lane."""
    row = int(lanes.row[slice_id])
    if row < 0:
        return None
    return SliceRef(slice_id, row, int(slices.start[slice_id]), int(slices.end[slice_id]))
