"""Selections in the timeline: slices, or an area (a time range on some lanes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from traitlets import TraitError

from nbprof.timeline.slice_summary import slice_summary
from nbprof.timeline.slices import Slices
from nbprof.timeline.slices_table import slice_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.trace import Trace
    from nbprof.widgets.traits import Selection

_SLICE: Final = {"side", "row"}
_RANGE: Final = {"start_us", "end_us"}
#: Upper limit of times; NaN and infinity are not below it.
_FAR_US: Final = 2.0**53
_FORMS: Final = (
    'slices are {"side": "host" or "device", "row": number}, '
    'areas {"lane": key, "start_us": time, "end_us": time}'
)


def check(rows: Selection) -> Selection:
    """Validate a selection: only slices, or only parts of one area.

    Raises
    ------
    TraitError
        It contains anything else.
    """
    kinds = {_kind(row) for row in rows}
    if len(kinds) > 1:
        message = "selection: slices and areas cannot be selected together."
        raise TraitError(message)
    if len({(row.get("start_us"), row.get("end_us")) for row in rows}) > 1 and "area" in kinds:
        message = "selection: an area has one range of time, the same in all of its lanes."
        raise TraitError(message)
    return rows


def selected(trace: Trace, group_by: str, rows: Selection) -> pa.Table:
    """Return the table of a selection.

    Parameters
    ----------
    trace : Trace
        Narrowed to the filter on screen.
    group_by : str
        How the lanes of the timeline are made.
    rows : list of dict
        A validated selection.

    Returns
    -------
    pyarrow.Table
        For slices, their rows in the table ``slices`` in the order selected, ignoring the filter,
        because the timeline also shows excluded slices. For an area, the table ``slice_summary``
        under the filter's other fields.
    """
    if rows and "start_us" in rows[0]:
        range_us = float(rows[0]["start_us"]), float(rows[0]["end_us"])
        every = any("lane" not in row for row in rows)
        return slice_summary(
            trace.model,
            trace.active_filter.replace(time_us=range_us),
            lanes=None if every else [row["lane"] for row in rows],
            group_by=group_by,
        )
    slices = Slices.of(trace.model)
    counts = {"host": slices.host_rows, "device": len(slices) - slices.host_rows}
    ids = [
        row["row"] if row["side"] == "host" else slices.host_rows + row["row"]
        for row in rows
        if row["row"] < counts[row["side"]]
    ]
    return slice_rows(trace.model, np.array(ids, np.int64))


def _kind(row: dict[str, Any]) -> str:
    if set(row) == _SLICE and row["side"] in ("host", "device") and _is_row(row["row"]):
        return "slice"
    if set(row) - {"lane"} == _RANGE and isinstance(row.get("lane", ""), str):
        start, end = row["start_us"], row["end_us"]
        if _is_time(start) and _is_time(end) and start < end:
            return "area"
    message = f"selection: {row!r} cannot be selected in the timeline; {_FORMS}."
    raise TraitError(message)


def _is_row(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_time(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) < _FAR_US
