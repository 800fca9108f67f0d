"""Handlers of ``slice``, ``find``, ``area`` and ``flows``: details, search, sums and arrows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.arrays import joined
from nbprof.timeline import search
from nbprof.timeline.details.details import slice_details
from nbprof.timeline.details.flows import nearest_arrows
from nbprof.timeline.slice_summary import slice_summary
from nbprof.widgets.requests.arrow import rows_that_fit
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.views.drawing.colors import name_colors, slot_of
from nbprof.widgets.views.timeline.params import FAR_NS, Asked, search_text, time_range, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.widgets.session import Progress, Session, State


#: Categories whose slices are coloured by name; others are coloured by category.
_COLORED_BY_NAME: Final = ("operator", "module")


def slice_(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return everything known about a slice, and its colour slot if it is coloured by name."""
    asked = Asked(session, params, progress)
    number = asked.slice_id("slice", params.get("slice"))
    found = slice_details(asked.trace.model, number, asked.group_by)
    by_name = found.category in _COLORED_BY_NAME
    slot = name_colors(session, asked.state, [found.name])[0][0] if by_name else None
    return Reply({**asdict(found), "slot": slot})


def find(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the number of slices that match a search, and the next one in a direction."""
    asked = Asked(session, params, progress)
    start = params.get("from")
    found = search.find(
        asked.trace.model,
        search_text(params),
        direction=whole("direction", params.get("direction", 0), -1, 1),
        from_slice=None if start is None else asked.slice_id("from", start),
        from_ns=whole("from_ns", params.get("from_ns", 0), -FAR_NS, FAR_NS),
        group_by=asked.group_by,
    )
    return Reply(asdict(found))


def flows(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the arrows of some kinds between rows, those nearest to the middle of a window."""
    asked = Asked(session, params, progress)
    kinds = asked.flow_kinds(params.get("kinds"))
    rows = asked.rows(params.get("rows"))
    found = nearest_arrows(
        asked.trace.model, kinds, time_range(params), rows, group_by=asked.group_by
    )
    return Reply({"arrows": [asdict(arrow) for arrow in found]})


def area(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return time by name within a time range on some lanes, most time first.

    ``names`` is the number of names; ``rows`` of them fit into one message.
    """
    asked = Asked(session, params, progress)
    start_ns, end_ns = time_range(params)
    table = slice_summary(
        asked.trace.model,
        asked.state.filter.replace(time_us=(start_ns / 1000, end_ns / 1000)),
        lanes=asked.lane_keys(params.get("lanes")),
        group_by=asked.group_by,
    )
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


def _slots(session: Session, state: State, rows: pa.Table) -> list[int]:
    """Return the colour slots of names, as in the tables of operators and kernels."""
    of_side = {
        "host": slot_of(session, state, "operators"),
        "device": slot_of(session, state, "kernels"),
    }
    pairs = zip(rows["side"].to_pylist(), rows["name"].to_pylist(), strict=True)
    return [of_side[side](name or "") for side, name in pairs]
