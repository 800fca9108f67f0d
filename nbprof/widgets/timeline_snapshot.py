"""What the timeline shows without a kernel: the trait that a saved notebook keeps."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filter import Filter
from nbprof.model.units import format_number
from nbprof.timeline import wire
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.arrow import to_ipc
from nbprof.widgets.colors import name_colors
from nbprof.widgets.handlers_catalog import catalog_of_one
from nbprof.widgets.handlers_timeline import curves_that_fit, marks, window_info
from nbprof.widgets.handlers_trace import trace_info
from nbprof.widgets.timeline_layout import end_ns, layout

if TYPE_CHECKING:
    from nbprof.timeline.snapshot import Snapshot
    from nbprof.trace import Trace
    from nbprof.widgets.session import Session, State

#: What the trait may take; notebooks keep it as text, which is a third longer.
MAX_BYTES: Final = 512_000

#: Pixel columns of its curves: the narrowest that still follow them.
_TRACK_COLUMNS: Final = 300

#: What the curves get at most, before they are written as text.
_TRACK_BYTES: Final = 120_000

#: What the slices get at least, whatever there is to say of lanes and curves.
_LEAST_SLICES: Final = 64_000

#: Bytes of what is said of a reply beside its names, and of Arrow's own messages.
_MARGIN: Final = 8_000


def snapshot(session: Session, state: State, group_by: str) -> bytes:
    """Return the timeline of a whole trace as an Arrow stream, whatever the filter.

    It has the form of a reply to ``slices`` over all rows; its schema metadata ``nbprof`` is the
    ``SnapshotInfo`` of `js/src/timeline/types.ts` as JSON. Empty for a trace of so many lanes that
    not even what they are called fits.
    """
    whole = replace(state, filter=Filter())
    trace = session.trace(whole)
    made: bytes = session.cached(
        trace, ("timeline snapshot", group_by), lambda: _make(session, whole, trace, group_by)
    )
    return made


def _make(session: Session, state: State, trace: Trace, group_by: str) -> bytes:
    timeline = Timeline.of(trace.model, group_by)
    about: dict[str, Any] = {
        "key": [trace.run, trace.worker, trace.span],
        "layout": layout(timeline),
        "minimap": _text(to_ipc(wire.minimap_table(timeline.minimap))),
        "tracks": _tracks(timeline),
        "catalog": catalog_of_one(session, trace.file),
        "trace": trace_info(trace),
    }
    room = MAX_BYTES - _MARGIN - len(_json(about))
    if room < _LEAST_SLICES:
        about["tracks"] = _text(curves_that_fit([], (0, 1), 1, 0))
        room = MAX_BYTES - _MARGIN - len(_json(about))
    while room > 0:
        found = timeline.snapshot(room)
        table, names = wire.window_table(found.window, timeline.slices)
        info = window_info(found.window, names, name_colors(session, state, names))
        about["info"] = {**info, **marks(names, "", None), "group_by": group_by}
        about["left_out"] = _left_out(found)
        made = to_ipc(table.replace_schema_metadata({"nbprof": _json(about)}))
        if len(made) <= MAX_BYTES:
            return made
        room = min(room - (len(made) - MAX_BYTES), room * 9 // 10)
    return b""


def _tracks(timeline: Timeline) -> str:
    window = 0, end_ns(timeline)
    return _text(curves_that_fit(timeline.tracks, window, _TRACK_COLUMNS, _TRACK_BYTES))


def _left_out(found: Snapshot) -> str:
    if not found.in_blocks:
        return ""
    every = found.in_blocks + found.alone
    return (
        f"{format_number(found.in_blocks)} of {format_number(every)} slices are only counted in "
        "blocks. Run the cell again to see them one by one."
    )


def _text(data: bytes) -> str:
    return b64encode(data).decode()


def _json(value: Any) -> str:
    # ASCII, so that it is as long as it will be and any path of a file can be written.
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
