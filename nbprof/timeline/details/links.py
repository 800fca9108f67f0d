"""Links from a slice to connected slices, in the order of the details pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from nbprof.model.units import format_number
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slice_refs import SliceRef, slice_ref
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.details.relatives import Relatives
    from nbprof.timeline.lanes.lanes import LaneSet

LinkKind = Literal[
    "counterpart",
    "operator",
    "queue",
    "launch",
    "kernel",
    "backward",
    "forward",
    "parent",
    "previous",
    "next",
]


_NS_PER_MS: Final = 1e6

#: Links to calls with the same name.
_CALLS: Final = ("previous", "next")


@dataclass(frozen=True)
class SliceLink:
    """A link to a connected slice: its label and where it is."""

    kind: LinkKind
    label: str
    target: SliceRef

    def moved(self, shift_ns: int, first_row: int, first_slice: int) -> SliceLink:
        """Return the link in the times, rows and slice ids of a screen with several traces."""
        target = self.target.moved(shift_ns, first_row, first_slice)
        label = _time_of(target) if self.kind in _CALLS else self.label
        return SliceLink(self.kind, label, target)


def links_of(
    model: TraceModel, slice_id: int, linked: Relatives, group_by: str = "thread"
) -> list[SliceLink]:
    """Return links to connected slices in display order; only slices on lanes are included."""
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    kernel = slices.host_rows + int(linked.device[0]) if len(linked.device) else -1
    before, after, _, _ = neighbours(slices, lanes, slice_id)
    ids: list[tuple[LinkKind, int, str]] = [
        ("operator", linked.operator, ""),
        *_queue_links(slice_id, linked),
        ("launch", linked.launch, _first_of(len(linked.calls))),
        ("kernel", kernel, _first_of(len(linked.device))),
        ("forward", linked.forward, ""),
        ("backward", linked.backward, ""),
        ("parent", linked.parent, ""),
        ("previous", before, ""),
        ("next", after, ""),
    ]
    made = []
    for kind, one, more in ids:
        target = slice_ref(slices, lanes, one) if one >= 0 else None
        if target is not None:
            label = _time_of(target) if kind in _CALLS else _name(slices, one) + more
            made.append(SliceLink(kind, label, target))
    return made


def _time_of(target: SliceRef) -> str:
    """Return the start of a slice, which distinguishes calls with the same name."""
    return f"{format_number(target.start_ns / _NS_PER_MS, 3)} ms"


def _queue_links(slice_id: int, linked: Relatives) -> list[tuple[LinkKind, int, str]]:
    """Return links to the slices that enqueue and dequeue a task.

    For an operator, the nearest comes first: the slice that enqueues the task.
    """
    if not linked.queue:
        return []
    put, taken = linked.queue[0]
    ends = [one for one in (taken, put) if one != slice_id]
    if len(ends) > 1 and linked.operator < 0:
        ends.reverse()
    more = _first_of(len(linked.queue))
    return [("queue", one, more) for one in ends]


def neighbours(slices: Slices, lanes: LaneSet, slice_id: int) -> tuple[int, int, int, int]:
    """Return the previous and next slice with the same name, the slice's index, and their number.

    Slices on all lanes are sorted by start; -1 at the ends. The index starts at 1.
    """
    same = np.flatnonzero((slices.name == slices.name[slice_id]) & (lanes.row >= 0))
    same = same[np.argsort(slices.start[same], kind="stable")]
    at = np.flatnonzero(same == slice_id)
    if not len(at):
        return -1, -1, 0, len(same)
    place = int(at[0])
    before = int(same[place - 1]) if place else -1
    after = int(same[place + 1]) if place + 1 < len(same) else -1
    return before, after, place + 1, len(same)


def _first_of(count: int) -> str:
    return f", the first of {format_number(count)}" if count > 1 else ""


def _name(slices: Slices, slice_id: int) -> str:
    code = int(slices.name[slice_id])
    return slices.names[code] if code >= 0 else ""
