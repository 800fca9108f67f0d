"""`SliceRef`: id and position of a slice, as used in messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbprof.timeline.lanes.lanes import LaneSet
    from nbprof.timeline.slices import Slices


@dataclass(frozen=True)
class SliceRef:
    """Position of a slice; `SliceRef` in `js/src/views/timeline/data/messages.ts`."""

    slice: int
    row: int
    start_ns: int
    end_ns: int

    def moved(self, shift_ns: int, first_row: int, first_slice: int) -> SliceRef:
        """Return the position in the times, rows and slice ids of a screen with several traces."""
        return SliceRef(
            self.slice + first_slice,
            self.row + first_row,
            self.start_ns + shift_ns,
            self.end_ns + shift_ns,
        )


def slice_ref(slices: Slices, lanes: LaneSet, slice_id: int) -> SliceRef | None:
    """Return the position of a slice, None if it is on no lane."""
    row = int(lanes.row[slice_id])
    if row < 0:
        return None
    return SliceRef(slice_id, row, int(slices.start[slice_id]), int(slices.end[slice_id]))
