"""``overview`` and ``charts``: figures and the small tables that stand beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filters.filter import Filter
from nbprof.widgets.hints.facts import facts
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State
from nbprof.widgets.views import figures
from nbprof.widgets.views.cards import cards_of, describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.widgets.session import Progress, Session

#: The tables of the overview, in the order of the buffers.
OVERVIEW_TABLES: Final = (
    "overview",
    "steps",
    "device_summary",
    "device_time",
    "recommendations",
)


def overview(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return everything that the overview shows."""
    state = State.parse(params.get("state"))
    look = figures.Look.parse(params)
    tables = [session.table(state, name, "", progress) for name in OVERVIEW_TABLES]
    cards, more = _cards(session, state, "overview", look, first=len(tables))
    result = {
        "tables": {name: index for index, name in enumerate(OVERVIEW_TABLES)},
        "figures": _items(figures.draw(session, state, "overview", look)),
        "facts": facts_of(session, state),
        "cards": cards,
    }
    return Reply(result, [to_ipc(table) for table in (*tables, *more)])


def _cards(
    session: Session, state: State, view: str, look: figures.Look, *, first: int = 0
) -> tuple[list[dict[str, Any]], list[pa.Table]]:
    cards = cards_of(session, state, view)
    return describe(cards, partial(session.table, state), look.choices, first=first)


def facts_of(session: Session, state: State) -> list[list[str]]:
    """Return what is known of device, job and recording as pairs of label and value."""
    # what the devices are does not depend on the filter, and a filter may leave none of them
    devices = session.table(replace(state, filter=Filter()), "device_summary")
    trace = session.trace(state)
    workers = {file.worker for file in session.readable.files if file.run == trace.run}
    found = facts(trace.model.metadata, devices, len(workers))
    return [[label, value] for label, value in found]


def charts(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the charts of one view."""
    state = State.parse(params.get("state"))
    look = figures.Look.parse(params)
    session.trace(state, progress)
    view = str(params.get("view"))
    drawn = figures.draw(session, state, view, look)
    cards, tables = _cards(session, state, view, look)
    return Reply({"figures": _items(drawn), "cards": cards}, [to_ipc(table) for table in tables])


def _items(drawn: Mapping[str, figure]) -> dict[str, Any]:
    from bokeh.embed import json_item

    return {name: json_item(made) for name, made in drawn.items()}
