"""Handlers of ``timeline`` and ``slices``: the layout of the timeline, and its windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filters.patterns import match_typed
from nbprof.model.units import format_number
from nbprof.timeline import wire
from nbprof.timeline.window import query
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.views.drawing.colors import name_colors
from nbprof.widgets.views.timeline.joined import joined_minimap, joined_window
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.params import MAX_WIDTH, Asked, search_text, time_range, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.window import Window
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.views.timeline.workers import WorkerPart

#: Maximum bytes of slices, names and curves of a reply together, and of its curves. With Arrow's
#: own messages and the numbers beside the names, a reply stays below 1 MB.
_SLICES_BYTES: Final = 960_000
_CURVE_BYTES: Final = 300_000

#: Number of slices from which progress is reported.
_MANY_SLICES: Final = 500_000


def timeline(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return lanes, curves, steps and the minimap of a trace, ignoring the filter."""
    asked = Asked(session, params, progress)
    tables = (
        part.timeline.model.tables[side] for part in asked.parts for side in ("host", "device")
    )
    count = sum(table.num_rows for table in tables)
    if count >= _MANY_SLICES:
        progress(0, 0, f"Arranging {format_number(count)} slices")

    minimap = to_ipc(wire.minimap_table(joined_minimap(asked.parts)))
    return Reply(layout(asked.parts, asked.clock, asked.failed, asked.align), [minimap])


def slices(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the slices of some rows and the points of some curves in a window."""
    asked = Asked(session, params, progress)
    start_ns, end_ns = time_range(params)
    width = whole("width", params.get("width"), 1, MAX_WIDTH)
    rows = asked.rows(params.get("rows"))
    keys = asked.track_keys(params.get("tracks"))
    search = search_text(params)
    curves = [track for track in asked.tracks if track.key in keys] if keys else []
    tracks = curves_that_fit(curves, (start_ns, end_ns), width, _CURVE_BYTES)
    room = _SLICES_BYTES - len(tracks)
    shown = _windows_of(asked.parts, (start_ns, end_ns), width, rows, room)
    window, known = joined_window(shown)
    table, names = wire.window_table(window, known)
    info = window_info(window, names, name_colors(session, asked.state, names))
    info |= {"start_ns": start_ns, "end_ns": end_ns}
    recorded = recorded_names([part for part, _ in shown])
    info |= marks(names, search, asked.state.filter.name, recorded)
    return Reply({**info, "group_by": asked.group_by}, [to_ipc(table), tracks])


def _windows_of(
    parts: Sequence[WorkerPart],
    window: tuple[int, int],
    width: int,
    rows: Sequence[tuple[int, int]],
    max_bytes: int,
) -> list[tuple[WorkerPart, Window]]:
    """Return the window of each worker, on its own clock.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The workers.
    window : (int, int)
        Start and end on the clock of the screen.
    width : int
        Pixel columns.
    rows : sequence of (int, int)
        Ranges of rows of the screen, last exclusive.
    max_bytes : int
        Maximum size of all together; each worker has a share by its number of rows.
    """
    asked = [(part, part.rows_in(rows)) for part in parts]
    asked = [(part, own) for part, own in asked if own] or asked[:1]
    many = sum(high - low for _, own in asked for low, high in own)
    found = []
    for part, own in asked:
        share = sum(high - low for low, high in own) / max(many, 1)
        room = max_bytes if len(asked) == 1 else int(max_bytes * share)
        start, end = window[0] - part.shift_ns, window[1] - part.shift_ns
        found.append((part, query(part.timeline.pyramid, start, end, width, own, max_bytes=room)))
    return found


def curves_that_fit(
    curves: Sequence[Track], window: tuple[int, int], width: int, most_bytes: int
) -> bytes:
    """Return the points of curves in a window, as an Arrow stream of limited size.

    Parameters
    ----------
    curves : sequence of Track
        All of them.
    window : (int, int)
        Start and end in nanoseconds.
    width : int
        Pixel columns; reduced if the reply would be too large.
    most_bytes : int
        Maximum bytes, as far as columns can be reduced.
    """
    while True:
        data = to_ipc(wire.tracks_table(curves, *window, width))
        if len(data) <= most_bytes or width == 1:
            return data
        width = max(1, min(width * 7 // 8, width * most_bytes // len(data)))


def window_info(
    window: Window, names: Sequence[str], colors: tuple[list[int], list[int]]
) -> dict[str, Any]:
    """Return names, colours and search matches of a window.

    It is part of ``WindowInfo`` in `js/src/views/timeline/data/messages.ts`.

    Parameters
    ----------
    window : Window
        What is shown.
    names : sequence of str
        Names of its slices.
    colors : (list of int, list of int)
        Colour slot and lightness step of each name.
    """
    slots, shades = colors
    return {
        "start_ns": window.start_ns,
        "end_ns": window.end_ns,
        "bin_ns": window.bin_ns,
        "rows": [list(pair) for pair in window.rows],
        "names": list(names),
        "slots": slots,
        "shades": shades,
    }


def recorded_names(parts: Sequence[WorkerPart]) -> dict[str, str]:
    """Return names of slices as recorded, by those shown, where they differ."""
    return {
        of.names[code]: name
        for of in (part.timeline.slices for part in parts)
        for code, name in of.recorded.items()
    }


def marks(
    names: Sequence[str], search: str, kept: str | None, recorded: Mapping[str, str]
) -> dict[str, list[int]]:
    """Return which names match a search, and which the name filter excludes.

    Both match names as shown and, if different, as recorded.

    An invalid expression matches nothing, because it may be incomplete while being typed; ``find``
    reports the error.
    """
    return {
        "matches": _matching(names, search, recorded, wanted=True) if search else [],
        "dimmed": _matching(names, kept, recorded, wanted=False) if kept else [],
    }


def _matching(
    names: Sequence[str], text: str, recorded: Mapping[str, str], *, wanted: bool
) -> list[int]:
    shown = match_typed(names, text) | match_typed([recorded.get(one) for one in names], text)
    return [index for index, hit in enumerate(shown) if hit == wanted]
