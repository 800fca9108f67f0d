"""Handler of ``flame``: frames of the flame graph in a range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import check_pattern, match_typed
from nbprof.model.reprs import did_you_mean
from nbprof.tables.trace import compute_table
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.widgets.flame_traits import ORDERS, WIDTHS
from nbprof.widgets.hints import hints
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply, RequestError
from nbprof.widgets.session.state import State
from nbprof.widgets.views.drawing.colors import name_colors
from nbprof.widgets.views.modules.flame_window import FlameIndex
from nbprof.widgets.views.timeline.params import MAX_WIDTH, search_text, whole

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Progress, Session

#: Maximum number of depths per request: those on a screen, and some around.
_MAX_ROWS: Final = 10_000

#: Data that widths need and a trace may lack.
NEEDS: Final = {"device": "device", "bytes": "memory"}


def flame(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the frames of a range of the flame graph for a number of pixel columns.

    Frames narrower than a pixel are merged into blocks with count and sum. Search matches are
    counted over the whole graph; a block matches if any of its frames does.
    """
    state = State.parse(params.get("state"))
    trace = session.trace(state, progress)
    asked, order = widths_and_order(params)
    by = resolved(asked, trace)
    index = index_of(session, state, by, order)
    search = search_text(params)
    matching = match_typed(index.names, search)
    result: dict[str, Any] = {
        "by": by,
        "order": order,
        "total": index.total,
        "found": int(matching[index.name].sum()),
        "search_valid": _is_valid(search),
    }
    if not index.total:
        return Reply({**result, **_nothing(trace, by)})
    start, end = _range(params.get("range"), index.total)
    rows = params.get("rows") or (0, _MAX_ROWS)
    first = whole("rows", rows[0], 0, _MAX_ROWS)
    window = index.window(
        start,
        end,
        whole("width", params.get("width"), 1, MAX_WIDTH),
        (first, whole("rows", rows[1], first, _MAX_ROWS)),
        matching,
    )
    codes = {kind: code for code, kind in enumerate(CATEGORIES)}
    table, known = window.table([codes.get(kind, -1) for kind in index.kinds])
    names = [index.names[number] for number in known.tolist()]
    slots, shades = name_colors(session, state, names)
    result |= {"range": [start, end], "depths": window.depths, "rows": list(rows)}
    result |= {"names": names, "slots": slots, "shades": shades}
    return Reply(result, [to_ipc(table)])


def index_of(session: Session, state: State, by: str, order: str) -> FlameIndex:
    """Return the index of a flame graph's frames, from which windows are cut."""
    key = (state.filter, "flame index", by, order)
    make = lambda: FlameIndex.of(frames(session, state, by, order))  # noqa: E731 - made if needed
    return session.cached(session.trace(state), key, make)


def widths_and_order(params: object) -> tuple[str, str]:
    """Return the width and the order of a flame graph that a request asks for.

    Raises
    ------
    RequestError
        The width or order is unknown.
    """
    given = params if isinstance(params, Mapping) else {}
    return _one_of(given, "by", WIDTHS), _one_of(given, "order", ORDERS)


def frames(session: Session, state: State, by: str, order: str) -> pa.Table:
    """Return the table ``flame`` of a state, cached."""
    trace = session.trace(state)
    by = resolved(by, trace)
    key = (state.filter, "flame", by, order)
    return session.cached(trace, key, lambda: compute_table(trace, "flame", by=by, order=order))


def resolved(by: str, trace: Trace) -> str:
    """Return the meaning of widths, resolving ``auto`` by what the trace contains."""
    if by != "auto":
        return by
    return "device" if hints.holdings(trace.model)["device"] else "host"


def _one_of(params: Mapping[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = params.get(field) or known[0]
    if value not in known:
        there = f"there is {', '.join(known)}.{did_you_mean(str(value), known)}"
        message = f"{field}: there is no {value!r}; {there}"
        raise RequestError(message)
    return str(value)


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


def _nothing(trace: Trace, by: str) -> dict[str, Any]:
    """Explain why no frame has a width."""
    need = NEEDS.get(by)
    what = {"host": "host time", "device": "device time", "bytes": "bytes allocated"}[by]
    text = f"No frame has {what}."
    if need is not None and not hints.holdings(trace.model)[need]:
        text = hints.hint(trace.model, need)
    elif trace.active_filter:
        text = f"No frame has {what} under the filter."
    return {"empty": text}
