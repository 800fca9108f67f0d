"""Builds the saved timeline: the parts of its entry in saved state."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filters.filter import Filter
from nbprof.model.units import format_number
from nbprof.timeline import wire
from nbprof.timeline.outline import outline as take_outline
from nbprof.timeline.window import BLOCK_BYTES, ROW_BYTES, SLICE_BYTES
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.saved.parts import AGAIN, TIMELINE_BYTES
from nbprof.widgets.views.drawing.colors import name_colors
from nbprof.widgets.views.timeline.joined import joined_minimap, joined_window
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.requests import (
    curves_that_fit,
    marks,
    recorded_names,
    window_info,
)
from nbprof.widgets.views.timeline.workers import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.timeline.lanes.lanes import Lane
    from nbprof.timeline.outline import Outline
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.timeline.choice import Choice
    from nbprof.widgets.views.timeline.workers import WorkerPart

#: Minimum number of pixel columns of the curves, and their maximum size before compression.
_TRACK_COLUMNS: Final = 600
_TRACK_BYTES: Final = 120_000

#: Maximum size of the descriptions of curves, and of the list of steps.
_LIST_BYTES: Final = 80_000

#: Size of a row that shows one block.
_ROW_BYTES: Final = ROW_BYTES + SLICE_BYTES + BLOCK_BYTES

#: A worker with less space than this is left out.
_LEAST_OF_WORKER: Final = 96_000

#: Size reserved for names, sentences, and Arrow's own messages.
_MARGIN: Final = 48_000


def timeline_parts(
    session: Session,
    state: State,
    choice: Choice,
    *,
    max_bytes: int = TIMELINE_BYTES,
    again: str = AGAIN,
) -> list[bytes]:
    """Return the timeline of a whole trace in four parts, ignoring the filter; [] if too large.

    The first is ``SavedTimeline`` of `js/src/views/timeline/data/messages.ts` as JSON. The second
    and fourth are the buffers of a reply to ``slices`` over all rows and curves, the third is that
    of a reply to ``timeline``. If there are too many lanes, they
    contain those with the most slices; of too many curves, the first; of too many steps, none.

    Parameters
    ----------
    session, state : Session, State
        The trace.
    choice : Choice
        The grouping of lanes, and the other workers. Workers that do not fit are left out, the
        last first.
    max_bytes : int
        Maximum total size of the parts.
    again : str
        What the reader can do to see what was left out.
    """
    whole = replace(state, filter=Filter())
    trace = session.trace(whole)
    made: list[bytes] = session.cached(
        trace,
        ("saved timeline", choice, state.baseline, max_bytes, again),
        lambda: _made(session, whole, choice, max_bytes, again),
    )
    return made


def _made(
    session: Session, state: State, choice: Choice, max_bytes: int, again: str
) -> list[bytes]:
    """Return the parts of as many workers as fit, the one on screen first."""
    every, failed = parts_of(session, state, choice)
    left_out = [f"{worker} cannot be read" for worker in failed]
    for many in range(len(every), 0, -1):
        if many > 1 and max_bytes // many < _LEAST_OF_WORKER:
            continue
        missing = [f"{part.name_of(every)} is left out" for part in every[many:]]
        colors = partial(name_colors, session, state)
        made = _make(every[:many], choice, colors, max_bytes, [*missing, *left_out], again)
        if made:
            return made
    return []


def _make(  # noqa: PLR0917 - what is kept, and how much
    parts: list[WorkerPart],
    choice: Choice,
    colors: Callable[[Sequence[str]], tuple[list[int], list[int]]],
    max_bytes: int,
    missing: list[str],
    again: str,
) -> list[bytes]:
    plain = layout(parts, choice.clock, align=choice.align)
    left_out = [*missing, *_limit_layout(plain)]
    kept = {track["key"] for track in plain["tracks"]}
    tracks = [part.track(one) for part in parts for one in part.timeline.tracks]
    tracks = [track for track in tracks if track.key in kept]
    whole_extent = plain["start_ns"], plain["end_ns"]
    curves = curves_that_fit(tracks, whole_extent, _TRACK_COLUMNS, _TRACK_BYTES)
    minimap = to_ipc(wire.minimap_table(joined_minimap(parts)))
    most = max_bytes - len(minimap) - len(curves)
    every = [lane for part in parts for lane in part.timeline.lanes.lanes]
    room = most - _MARGIN
    while room > 0:
        lanes = [_lanes_that_fit(part.timeline.lanes.lanes, room // len(parts)) for part in parts]
        pairs = list(zip(parts, lanes, strict=True))
        keys = {part.key(lane.key) for part, own in pairs for lane in own}
        about: dict[str, Any] = {"layout": _layout_of_lanes(plain, keys)}
        for_slices = max(most - len(_json(about)) - _MARGIN // 4, 0) // len(parts)
        found = []
        for part, own in pairs:
            shown = replace(part.timeline.lanes, lanes=tuple(own))
            found.append(take_outline(part.timeline.pyramid, shown, for_slices))
        windows = [(part, one.window) for part, one in zip(parts, found, strict=True)]
        window, known = joined_window(windows)
        table, names = wire.window_table(window, known)
        info = window_info(window, names, colors(names))
        info |= {"start_ns": whole_extent[0], "end_ns": whole_extent[1]}
        info["group_by"] = plain["group_by"]
        about["info"] = {**info, **marks(names, "", None, {})}
        recorded = recorded_names(parts)
        about["recorded"] = {name: recorded[name] for name in names if name in recorded}
        words = [*_lanes_left_out(every, [lane for own in lanes for lane in own], found), *left_out]
        about["left_out"] = f"{', '.join(words)}. {again}" if words else ""
        made = [_json(about).encode(), to_ipc(table), minimap, curves]
        if sum(map(len, made)) <= max_bytes:
            return made
        room = room * 3 // 4
    return []


def _lanes_that_fit(lanes: Sequence[Lane], room: int) -> list[Lane]:
    """Return the lanes for which one block per row fits, preferring those with the most slices.

    Lanes are in screen order.
    """
    cost = [len(_json(asdict(lane))) * 2 + lane.depths * _ROW_BYTES for lane in lanes]
    fitting = []
    for index in sorted(range(len(lanes)), key=lambda i: -lanes[i].slices):
        room -= cost[index]
        if room >= 0:
            fitting.append(index)
    return [lanes[index] for index in sorted(fitting)]


def _layout_of_lanes(plain: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    """Return a layout with some of its lanes, and the groups that these use."""
    lanes = [lane for lane in plain["lanes"] if lane["key"] in keys]
    used = {item["group"] for item in (*lanes, *plain["tracks"])}
    used |= {group.get("within") for group in plain["groups"] if group["key"] in used}
    groups = [group for group in plain["groups"] if group["key"] in used]
    return {**plain, "lanes": lanes, "groups": groups}


def _limit_layout(plain: dict[str, Any]) -> list[str]:
    """Remove excess curves and steps from a layout; return sentences about what was removed."""
    words: list[str] = plain.pop("left_out", [])
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


def _lanes_left_out(
    every: Sequence[Lane], lanes: Sequence[Lane], found: Sequence[Outline]
) -> list[str]:
    missing = len(every) - len(lanes)
    in_blocks = sum(one.in_blocks for one in found)
    left_out = sum(one.left_out for one in found)
    slices = in_blocks + left_out + sum(one.individual for one in found)
    words = []
    if missing:
        words.append(f"{format_number(missing)} of {format_number(len(every))} lanes are left out")
    if in_blocks:
        count, whole = format_number(in_blocks), format_number(slices)
        words.append(f"{count} of {whole} slices are only shown as counts in blocks")
    if left_out:
        words.append(f"{format_number(left_out)} slices of the deepest rows are left out")
    return words


def _json(value: Any) -> str:
    # ASCII: the length is known, and any file path can be written.
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
