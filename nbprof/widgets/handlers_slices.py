"""``area``: what the timeline says of what is selected or searched for in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.timeline.area import slice_summary
from nbprof.widgets.arrow import rows_that_fit
from nbprof.widgets.colors import name_colors
from nbprof.widgets.protocol import Reply
from nbprof.widgets.timeline_params import Asked, time_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session import Progress, Session


def area(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what is inside a range of time over some lanes, by name, most time first.

    ``names`` is how many names there are; ``rows`` of them fit into one message.
    """
    asked = Asked(session, params, progress)
    start_ns, end_ns = time_range(params)
    table = slice_summary(
        asked.trace.model,
        asked.state.filter.replace(time_us=(start_ns / 1000, end_ns / 1000)),
        lanes=asked.lane_keys(params.get("lanes")),
        group_by=asked.group_by,
    )
    count = np.asarray(table["count"])
    on_host = np.array([side == "host" for side in table["side"].to_pylist()], bool)
    rows, data = rows_that_fit(table)
    names = [name or "" for name in rows["name"].to_pylist()]
    result: dict[str, Any] = {
        "slices": int(count.sum()),
        "host": int(count[on_host].sum()),
        "device": int(count[~on_host].sum()),
        "names": table.num_rows,
        "rows": rows.num_rows,
        "slots": name_colors(session, asked.state, names)[0],
    }
    return Reply(result, [data])
