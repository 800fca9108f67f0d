"""Handlers of ``slice``, ``find``, ``area`` and ``flows``: details, search, sums and arrows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.arrays import joined
from nbprof.timeline import search
from nbprof.timeline.details.details import slice_details
from nbprof.timeline.details.flows import MOST, nearest_arrows
from nbprof.timeline.slice_summary import slice_summary
from nbprof.widgets.requests.arrow import rows_that_fit
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.views.drawing.colors import name_colors, slot_of
from nbprof.widgets.views.timeline.compared_slices import compared
from nbprof.widgets.views.timeline.joined import joined_summary
from nbprof.widgets.views.timeline.params import FAR_NS, Asked, search_text, time_range, whole
from nbprof.widgets.views.timeline.workers import extent_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.timeline.workers import WorkerPart


#: Categories whose slices are coloured by name; others are coloured by category.
_COLORED_BY_NAME: Final = ("operator", "module")


def slice_(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return everything known about a slice, and its colour slot if it is coloured by name."""
    asked = Asked(session, params, progress)
    number = asked.slice_id("slice", params.get("slice"))
    part = asked.part_of(number)
    own = number - part.first_slice
    details = part.details(slice_details(part.timeline.model, own, asked.group_by))
    by_name = details.category in _COLORED_BY_NAME
    slot = name_colors(session, asked.state, [details.name])[0][0] if by_name else None
    plain = {**asdict(details), "slot": slot}
    found = compared(asked.parts, part, own)
    if found is not None:
        plain["facts"] = [*plain["facts"][:1], *found.facts, *plain["facts"][1:]]
        plain["follow"] = [*map(asdict, found.follow), *plain["follow"]]
        plain["align"] = found.align
    return Reply(plain)


def find(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the number of slices that match a search, and the next one in a direction."""
    asked = Asked(session, params, progress)
    start = params.get("from")
    text = search_text(params)
    hits = [
        search.Hits.of(
            part.timeline.model,
            text,
            asked.group_by,
            shift_ns=part.shift_ns,
            first_row=part.first_row,
            first_slice=part.first_slice,
        )
        for part in asked.parts
    ]
    found = search.find_in(
        hits,
        extent_of(asked.parts),
        whole("direction", params.get("direction", 0), -1, 1),
        None if start is None else asked.slice_id("from", start),
        whole("from_ns", params.get("from_ns", 0), -FAR_NS, FAR_NS),
    )
    return Reply(asdict(found))


def flows(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the arrows of some kinds between rows in a window, those nearest to a time."""
    asked = Asked(session, params, progress)
    kinds = asked.flow_kinds(params.get("kinds"))
    rows = asked.rows(params.get("rows"))
    at = params.get("at_ns")
    at_ns = None if at is None else whole("at_ns", at, -FAR_NS, FAR_NS)
    low, high = time_range(params)
    found = []
    for part in asked.parts:
        own = part.rows_in(rows)
        if own:
            window = low - part.shift_ns, high - part.shift_ns
            model = part.timeline.model
            own_at = None if at_ns is None else at_ns - part.shift_ns
            by = asked.group_by
            near = nearest_arrows(model, kinds, window, own, group_by=by, at_ns=own_at)
            found += [part.arrow(arrow) for arrow in near]
    middle = (low + high) // 2 if at_ns is None else at_ns
    found.sort(key=lambda arrow: min(abs(arrow.from_ns - middle), abs(arrow.to_ns - middle)))
    arrows = [asdict(arrow) for arrow in found[:MOST]]
    return Reply({"arrows": arrows, "limited": len(arrows) >= MOST})


def area(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return time by name within a time range on some lanes, most time first.

    ``names`` is the number of names; ``rows`` of them fit into one message.
    """
    asked = Asked(session, params, progress)
    start_ns, end_ns = time_range(params)
    keys = asked.lane_keys(params.get("lanes"))
    table = _area_summary(asked.parts, asked.state.filter, (start_ns / 1000, end_ns / 1000), keys)
    count = joined(table["count"])
    on_host = np.array([side == "host" for side in table["side"].to_pylist()], bool)
    rows, data = rows_that_fit(table)
    result: dict[str, Any] = {
        "slices": int(count.sum()),
        "host": int(count[on_host].sum()),
        "device": int(count[~on_host].sum()),
        "names": table.num_rows,
        "rows": rows.num_rows,
        "slots": _slots(session, asked.state, rows),
    }
    return Reply(result, [data])


def _area_summary(
    parts: Sequence[WorkerPart],
    filter_: Filter,
    range_us: tuple[float, float],
    lanes: Sequence[str] | None,
) -> pa.Table:
    """Return time by name within a range, over lanes of one or several workers.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The workers.
    filter_ : Filter
        Its other fields select slices of every worker.
    range_us : (float, float)
        Start and end in microseconds on the clock of the screen.
    lanes : sequence of str or None
        Keys of lanes as the screen has them; None for all.
    """
    wanted = None if lanes is None else set(lanes)
    tables = []
    for part in parts:
        mine = [lane.key for lane in part.timeline.lanes.lanes]
        own = None if wanted is None else [key for key in mine if part.key(key) in wanted]
        if own != []:
            start_us, end_us = (time - part.shift_ns / 1000 for time in range_us)
            group_by = part.timeline.group_by
            model, narrowed = part.timeline.model, filter_.replace(time_us=(start_us, end_us))
            tables.append(slice_summary(model, narrowed, lanes=own, group_by=group_by))
    if not tables:  # the lanes are gone
        tables = [slice_summary(parts[0].timeline.model, filter_, lanes=[])]
    return joined_summary(tables)


def _slots(session: Session, state: State, rows: pa.Table) -> list[int]:
    """Return the colour slots of names, as in the tables of operators and kernels."""
    of_side = {
        "host": slot_of(session, state, "operators"),
        "device": slot_of(session, state, "kernels"),
    }
    pairs = zip(rows["side"].to_pylist(), rows["name"].to_pylist(), strict=True)
    return [of_side[side](name or "") for side, name in pairs]
