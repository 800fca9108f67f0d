"""Handler of ``flame``: frames of the flame graph in a range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.reprs import did_you_mean
from nbprof.tables.trace import compute_table
from nbprof.widgets.flame_traits import ORDERS, WIDTHS
from nbprof.widgets.hints import hints
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.state import State
from nbprof.widgets.views.flames.flame_window import FlameIndex
from nbprof.widgets.views.flames.graph_reply import graph_reply

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.trace import Trace
    from nbprof.widgets.requests.protocol import Reply
    from nbprof.widgets.session.session import Progress, Session

#: Data that widths need and a trace may lack.
NEEDS: Final = {"device": "device", "bytes": "memory"}


def flame(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the frames of a range of the flame graph for a number of pixel columns."""
    state = State.parse(params.get("state"))
    trace = session.trace(state, progress)
    asked, order = widths_and_order(params)
    by = resolved(asked, trace)
    return graph_reply(
        session,
        state,
        params,
        index_of(session, state, by, order),
        {"by": by, "order": order},
        nothing=lambda: _nothing(trace, by),
    )


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


def _nothing(trace: Trace, by: str) -> str:
    """Explain why no frame has a width."""
    need = NEEDS.get(by)
    what = {"host": "host time", "device": "device time", "bytes": "bytes allocated"}[by]
    text = f"No frame has {what}."
    if need is not None and not hints.holdings(trace.model)[need]:
        text = hints.hint(trace.model, need)
    elif trace.active_filter:
        text = f"No frame has {what} under the filter."
    return text
