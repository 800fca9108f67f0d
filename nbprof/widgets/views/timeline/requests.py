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
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.params import MAX_WIDTH, Asked, search_text, time_range, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.window import Window
    from nbprof.widgets.session import Progress, Session

#: What slices, names and curves of a reply may take together, and of that the curves: with Arrow's
#: own messages and the numbers beside the names it stays below 1 MB.
_SLICES_BYTES: Final = 960_000
_CURVE_BYTES: Final = 300_000

#: Number of slices from which progress is reported.
_MANY_SLICES: Final = 500_000


def timeline(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return lanes, curves, steps and the minimap of a trace, ignoring the filter."""
    asked = Asked(session, params, progress)
    count = sum(asked.trace.model.tables[side].num_rows for side in ("host", "device"))
    if count >= _MANY_SLICES:
        progress(0, 0, f"Arranging {format_number(count)} slices")

    minimap = to_ipc(wire.minimap_table(asked.timeline.minimap))
    return Reply(layout(asked.timeline), [minimap])


def slices(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what rows and curves show in a window."""
    asked = Asked(session, params, progress)
    start_ns, end_ns = time_range(params)
    width = whole("width", params.get("width"), 1, MAX_WIDTH)
    rows = asked.rows(params.get("rows"))
    keys = asked.track_keys(params.get("tracks"))
    search = search_text(params)
    whole_timeline = asked.timeline
    curves = [track for track in whole_timeline.tracks if track.key in keys]
    tracks = curves_that_fit(curves, (start_ns, end_ns), width, _CURVE_BYTES)
    room = _SLICES_BYTES - len(tracks)
    window = query(whole_timeline.pyramid, start_ns, end_ns, width, rows, max_bytes=room)
    table, names = wire.window_table(window, whole_timeline.slices)
    info = window_info(window, names, name_colors(session, asked.state, names))
    known = whole_timeline.slices
    recorded = {known.names[code]: name for code, name in known.recorded.items()}
    info |= marks(names, search, asked.state.filter.name, recorded)
    return Reply({**info, "group_by": asked.group_by}, [to_ipc(table), tracks])


def curves_that_fit(
    curves: Sequence[Track], window: tuple[int, int], width: int, most_bytes: int
) -> bytes:
    """Return what curves show in a window, as an Arrow stream of limited size.

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
        width = max(1, min(width - 1, width * most_bytes // len(data)))


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


def marks(
    names: Sequence[str], search: str, kept: str | None, recorded: Mapping[str, str]
) -> dict[str, list[int]]:
    """Return which names match a search, and which the name filter excludes.

    Both match names as shown and, if different, as recorded.

    An expression that is not valid finds nothing: somebody is typing, and ``find`` says what is
    wrong with it.
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
