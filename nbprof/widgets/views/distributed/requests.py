"""``distributed``: the workers of a run side by side, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.distributed import TABLES, distributed_cards
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State
from nbprof.widgets.views.cards import describe, draw_cards
from nbprof.widgets.views.distributed.reading import read_some
from nbprof.widgets.views.distributed.words import notes_of, rules_note, why_empty
from nbprof.widgets.views.figures import figure_items
from nbprof.widgets.views.look import Look
from nbprof.widgets.views.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.widgets.session import Progress, Session

#: Seconds that one request reads traces for. While it does, Python answers nothing else: the
#: browser asks again, and other questions come between.
PATIENCE: Final = 1.0


def distributed(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what the workers of a run do, or how many of them have been read so far.

    ``done`` of ``of`` traces are read; while these differ, there is nothing else.
    """
    state = State.parse(params.get("state"))
    look = Look.parse(params)
    done, of = read_some(session, state, progress, PATIENCE)
    if done < of:
        return Reply({"done": done, "of": of, "figures": {}})
    found = session.distributed(state)
    chosen = workers_cards(Screen(session, state))
    cards, tables = describe(chosen, found.table, look.choices, first=1)
    items = figure_items(draw_cards(chosen, found.table, look))
    result = {"done": done, "of": of, "cards": cards, "figures": items, **about(session, state)}
    return Reply(result, [to_ipc(table) for table in (found.devices, *tables)])


def workers_cards(tables: TableSource) -> Sequence[Card]:
    """Return the cards of the workers; none where nothing communicates."""
    found = tables.workers
    if found is None or not found.calls:
        return ()
    return distributed_cards({name: found.table(name) for name in TABLES})


def about(session: Session, state: State) -> dict[str, Any]:
    """Return what is said of the workers in words."""
    found = session.distributed(state)
    trace = session.trace(state)
    return {
        "notes": [*notes_of(found), *rules_note(trace.model.metadata)],
        "empty": why_empty(found, state.filter, trace.model.vocabulary.record_ranks),
        "calls": found.calls,
        "over": "the time of the steps" if trace.model.steps.recorded else "the recording",
    }
