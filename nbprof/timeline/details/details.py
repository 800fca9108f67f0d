"""`SliceDetails`: everything known about one slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from nbprof.model.links.call_stacks import call_stack_of
from nbprof.model.units import format_number
from nbprof.timeline.details.arrows import Arrow, arrows
from nbprof.timeline.details.links import SliceLink, links_of, neighbours
from nbprof.timeline.details.properties import Fact, device_facts, host_facts
from nbprof.timeline.details.relatives import relatives
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.self_time import self_time_of
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


@dataclass(frozen=True)
class SliceDetails:
    """Details of one slice; `SliceDetails` in `js/src/views/timeline/data/messages.ts`.

    Attributes
    ----------
    slice : int
        Slice id.
    side : {"host", "device"}
        The table that contains it.
    table_row : int
        Row in that table.
    name, category : str
    lane : str
        Key of its lane, empty for a slice on no lane.
    row : int
        Row number over all lanes, -1 for a slice on no lane.
    start_ns, end_ns : int
        From the trace's first event.
    self_ns : int or None
        Its self time; None for device slices.
    facts : list of (str, str)
        Labels and texts in display order.
    call_stack : str
        Frames joined by ";", the innermost first; empty if unknown.
    follow : list of SliceLink
        Links to connected slices.
    arrows : list of Arrow
        Arrows to and from it.
    """

    slice: int
    side: Literal["host", "device"]
    table_row: int
    name: str
    category: str
    lane: str
    row: int
    start_ns: int
    end_ns: int
    self_ns: int | None
    facts: list[Fact]
    call_stack: str
    follow: list[SliceLink]
    arrows: list[Arrow]


def slice_details(model: TraceModel, slice_id: int, group_by: str = "thread") -> SliceDetails:
    """Return everything known about a slice.

    Parameters
    ----------
    model : TraceModel
        The trace.
    slice_id : int
        Host row, or the number of host rows plus a device row.
    group_by : {"thread", "module"}
        How lanes are grouped.

    Raises
    ------
    IndexError
        There is no such slice.
    ValueError
        There is no such grouping.
    """
    slices, lanes = Slices.of(model), lane_set(model, group_by)
    if not 0 <= slice_id < len(slices):
        message = f"There is no slice {slice_id}; the trace has {len(slices)}."
        raise IndexError(message)
    on_host = slice_id < slices.host_rows
    row = slice_id if on_host else slice_id - slices.host_rows
    linked = relatives(model, slice_id)
    facts = host_facts(model, row) if on_host else device_facts(model, row)
    code = int(slices.name[slice_id])
    if code in slices.recorded:
        facts.append(("Recorded as", slices.recorded[code]))
    _, _, place, count = neighbours(slices, lanes, slice_id)
    if count > 1 and place:
        facts.append(("Call", f"{format_number(place)} of {format_number(count)}"))
    lane = int(lanes.lane[slice_id])
    return SliceDetails(
        slice=slice_id,
        side="host" if on_host else "device",
        table_row=row,
        name=slices.names[code] if code >= 0 else "",
        category=CATEGORIES[slices.category[slice_id]],
        lane=lanes.lanes[lane].key if lane >= 0 else "",
        row=int(lanes.row[slice_id]),
        start_ns=int(slices.start[slice_id]),
        end_ns=int(slices.end[slice_id]),
        self_ns=self_time_of(model, row) if on_host else None,
        facts=facts,
        call_stack=_call_stack(model, row if on_host else -1, linked.operator, linked.launch),
        follow=links_of(model, slice_id, linked, group_by),
        arrows=arrows(model, slice_id, linked, group_by),
    )


def _call_stack(model: TraceModel, *rows: int) -> str:
    """Return the call stack of the first of the given host rows that has one."""
    stacks = (call_stack_of(model, row) for row in rows if row >= 0)
    return next(filter(None, stacks), "")
