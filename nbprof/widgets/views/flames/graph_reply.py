"""Makes the reply about a range of a flame graph: frames and blocks with their colours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import check_pattern, match_typed
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.fitting import is_shown_as
from nbprof.widgets.requests.protocol import Reply, RequestError
from nbprof.widgets.views.drawing.colors import name_colors
from nbprof.widgets.views.timeline.params import MAX_WIDTH, search_text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.flames.flame_window import FlameIndex

#: Maximum number of depths per request: those on a screen, and some around.
_MAX_ROWS: Final = 10_000


def graph_reply(
    session: Session,
    state: State,
    params: Mapping[str, Any],
    index: FlameIndex,
    about: Mapping[str, Any],
    *,
    nothing: Callable[[], str],
    colors: Callable[[list[str]], tuple[list[int], list[int]]] | None = None,
) -> Reply:
    """Return the frames of a range of a graph for a number of pixel columns.

    Frames narrower than a pixel are merged into blocks with count and sum. Search matches are
    counted over the whole graph; a block matches if any of its frames does.

    Parameters
    ----------
    session, state : Session, State
        The trace.
    params : mapping
        The request: ``range``, ``width``, ``rows``, ``search``, and perhaps ``selected``, names
        that match as well.
    index : FlameIndex
        The frames.
    about : mapping
        Further fields of the reply.
    nothing : callable
        Explains why there are no frames.
    colors : callable, optional
        Returns slots and shades of names; by default those of operators and modules.
    """
    search = search_text(params)
    found = match_typed(index.names, search)
    result: dict[str, Any] = {
        **about,
        "total": index.total,
        "found": int(found[index.name].sum()),
        "search_valid": _is_valid(search),
    }
    if not index.total:
        return Reply({**result, "empty": nothing()})
    matching = found | _selected(index.names, params.get("selected"))
    start, end = _range(params.get("range"), index.total)
    rows = _rows(params.get("rows"))
    window = index.window(
        start,
        end,
        whole("width", params.get("width"), 1, MAX_WIDTH),
        rows,
        matching,
    )
    codes = {kind: code for code, kind in enumerate(CATEGORIES)}
    table, known = window.table([codes.get(kind, -1) for kind in index.kinds])
    names = [index.names[number] for number in known.tolist()]
    slots, shades = colors(names) if colors else name_colors(session, state, names)
    result |= {"range": [start, end], "depths": window.depths, "rows": list(rows)}
    result |= {"names": names, "slots": slots, "shades": shades}
    return Reply(result, [to_ipc(table)])


def _selected(names: list[str], selected: object) -> Any:
    if not isinstance(selected, list) or not selected:
        return np.zeros(len(names), bool)
    wanted = {one for one in selected if isinstance(one, str)}
    cut = [one for one in wanted if "…" in one]
    return np.array(
        [name in wanted or any(is_shown_as(name, one) for one in cut) for name in names], bool
    )


def _rows(value: object) -> tuple[int, int]:
    """Return the first row and the one after the last; all rows if they are missing."""
    if value is None:
        return 0, _MAX_ROWS
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        message = f"rows: a first row and the row after the last are required, not {value!r}."
        raise RequestError(message)
    first = whole("rows", value[0], 0, _MAX_ROWS)
    return first, whole("rows", value[1], first, _MAX_ROWS)


def _range(value: object, total: float) -> tuple[float, float]:
    """Clip a range to the graph; the whole if it is outside or missing."""
    if value is None:
        return 0.0, total
    numbers = value if isinstance(value, (list, tuple)) else []
    if len(numbers) != 2 or not all(_is_number(number) for number in numbers):
        message = f"range must be two numbers, not {value!r}."
        raise RequestError(message)
    start, end = max(0.0, float(numbers[0])), min(float(numbers[1]), total)
    return (start, end) if start < end else (0.0, total)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_valid(search: str) -> bool:
    """Return whether a search text is valid; a regular expression may still be incomplete."""
    try:
        check_pattern(search)
    except FilterError:
        return False
    return True
