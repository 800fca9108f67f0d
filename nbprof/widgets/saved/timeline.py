"""What the timeline shows without a kernel: the parts of its entry in saved state."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filters.filter import Filter
from nbprof.model.units import format_number
from nbprof.timeline import wire
from nbprof.timeline.outline import outline as take_outline
from nbprof.timeline.timeline import Timeline
from nbprof.timeline.window import BLOCK_BYTES, ROW_BYTES, SLICE_BYTES
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.views.drawing.colors import name_colors
from nbprof.widgets.views.timeline.layout import end_ns, layout
from nbprof.widgets.views.timeline.requests import curves_that_fit, marks, window_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.timeline.lanes.lanes import Lane
    from nbprof.timeline.outline import Outline
    from nbprof.widgets.session import Session, State

#: What its parts may take together, before they are compressed.
MAX_BYTES: Final = 512_000

#: Pixel columns of its curves: the narrowest that still follow them; and what they get at most,
#: before they are
#: compressed.
_TRACK_COLUMNS: Final = 600
_TRACK_BYTES: Final = 120_000

#: What the descriptions of curves, and the list of steps, take at most.
_LIST_BYTES: Final = 80_000

#: What a row takes that shows one block.
_ROW_BYTES: Final = ROW_BYTES + SLICE_BYTES + BLOCK_BYTES

AGAIN: Final = "Run the cell again to see everything."

#: SavedPart free for names, for what is said beside them, and for Arrow's own messages.
_MARGIN: Final = 48_000


def timeline_parts(
    session: Session,
    state: State,
    group_by: str,
    *,
    max_bytes: int = MAX_BYTES,
    again: str = AGAIN,
) -> list[bytes]:
    """Return the timeline of a whole trace in four parts, whatever the filter; none without room.

    The first is ``SavedTimeline`` of `js/src/views/timeline/data/messages.ts` as JSON. The second
    and fourth are the buffers of a reply to ``slices`` over all rows and curves, the third is that
    of a reply to ``timeline``. Of a trace with very many lanes they hold those with the most
    slices, of very many curves the first, of very many steps none.

    Parameters
    ----------
    session, state : Session, State
        The trace.
    group_by : {"thread", "module"}
        How its lanes are made.
    max_bytes : int
        What the parts may take together, whatever the trace.
    again : str
        What is to be done to see what was left out.
    """
    whole = replace(state, filter=Filter())
    trace = session.trace(whole)
    made: list[bytes] = session.cached(
        trace,
        ("saved timeline", group_by, max_bytes, again),
        lambda: _make(session, whole, group_by, max_bytes, again),
    )
    return made


def _make(session: Session, state: State, group_by: str, max_bytes: int, again: str) -> list[bytes]:
    trace = session.trace(state)
    timeline = Timeline.of(trace.model, group_by)
    whole_trace = 0, end_ns(timeline)
    plain = layout(timeline)
    left_out = _shorten(plain)
    tracks = timeline.tracks[: len(plain["tracks"])]
    curves = curves_that_fit(tracks, whole_trace, _TRACK_COLUMNS, _TRACK_BYTES)
    minimap = to_ipc(wire.minimap_table(timeline.minimap))
    most = max_bytes - len(minimap) - len(curves)
    room = most - _MARGIN
    while room > 0:
        lanes = _lanes_that_fit(timeline.lanes.lanes, room)
        about: dict[str, Any] = {"layout": _of_lanes(plain, {lane.key for lane in lanes})}
        for_slices = most - len(_json(about)) - _MARGIN // 4
        shown = replace(timeline.lanes, lanes=tuple(lanes))
        found = take_outline(timeline.pyramid, shown, max(for_slices, 0))
        table, names = wire.window_table(found.window, timeline.slices)
        info = window_info(found.window, names, name_colors(session, state, names))
        about["info"] = {**info, **marks(names, "", None, {}), "group_by": group_by}
        words = [*_lanes_left_out(timeline.lanes.lanes, lanes, found), *left_out]
        about["left_out"] = f"{', '.join(words)}. {again}" if words else ""
        made = [_json(about).encode(), to_ipc(table), minimap, curves]
        if sum(map(len, made)) <= max_bytes:
            return made
        room = room * 3 // 4
    return []


def _lanes_that_fit(lanes: Sequence[Lane], room: int) -> list[Lane]:
    """Return the lanes of which at least a block a row fits, those with most slices first to stay.

    They stay in the order of the screen.
    """
    cost = [len(_json(asdict(lane))) * 2 + lane.depths * _ROW_BYTES for lane in lanes]
    kept = []
    for index in sorted(range(len(lanes)), key=lambda i: -lanes[i].slices):
        room -= cost[index]
        if room >= 0:
            kept.append(index)
    return [lanes[index] for index in sorted(kept)]


def _of_lanes(plain: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    """Return a layout with some of its lanes, and the groups that are then in use."""
    lanes = [lane for lane in plain["lanes"] if lane["key"] in keys]
    used = {item["group"] for item in (*lanes, *plain["tracks"])}
    groups = [group for group in plain["groups"] if group["key"] in used]
    return {**plain, "lanes": lanes, "groups": groups}


def _shorten(plain: dict[str, Any]) -> list[str]:
    """Take out of a layout the curves and the steps that are too many; return that in words."""
    words = []
    every = plain["tracks"]
    fitting = itertools.takewhile(
        lambda size: size <= _LIST_BYTES, itertools.accumulate(len(_json(one)) for one in every)
    )
    plain["tracks"] = every[: len(list(fitting))]
    missing = len(every) - len(plain["tracks"])
    if missing:
        words.append(f"{format_number(missing)} of {format_number(len(every))} curves are left out")
    if len(_json(plain["steps"])) > _LIST_BYTES:
        words.append(f"{format_number(len(plain['steps']))} steps are not marked")
        plain["steps"] = []
    return words


def _lanes_left_out(every: Sequence[Lane], lanes: Sequence[Lane], found: Outline) -> list[str]:
    missing = len(every) - len(lanes)
    slices = found.in_blocks + found.alone + found.left_out
    words = []
    if missing:
        words.append(f"{format_number(missing)} of {format_number(len(every))} lanes are left out")
    if found.in_blocks:
        count, whole = format_number(found.in_blocks), format_number(slices)
        words.append(f"{count} of {whole} slices are only shown as counts in blocks")
    if found.left_out:
        words.append(f"{format_number(found.left_out)} slices of the deepest rows are left out")
    return words


def _json(value: Any) -> str:
    # ASCII, so that it is as long as it will be and any path of a file can be written.
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
