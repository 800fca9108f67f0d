"""Handler of ``distributed``: cards and notices about the workers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.distributed import TABLES, distributed_cards
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State
from nbprof.widgets.views.distributed.notices import notes_of, rules_note, why_empty
from nbprof.widgets.views.distributed.rank_loading import read_some
from nbprof.widgets.views.drawing.cards import card_charts, describe
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.widgets.session import Progress, Session

#: Seconds that one request spends reading traces. Python answers nothing else meanwhile, so the
#: browser repeats the request and others come between.
PATIENCE: Final = 1.0


def distributed(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the data of the workers of a run, or how many have been read so far.

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
    charts = card_charts(chosen, found.table, look)
    items = figure_items(charts, look.theme, known_templates(params))
    result = {"done": done, "of": of, "cards": cards, "figures": items, **about(session, state)}
    return Reply(result, [to_ipc(table) for table in (found.devices, *tables)])


def workers_cards(tables: TableSource) -> Sequence[Card]:
    """Return the cards of the workers; none if nothing communicates."""
    found = tables.workers
    if found is None or not found.calls:
        return ()
    return distributed_cards({name: found.table(name) for name in TABLES})


def about(session: Session, state: State) -> dict[str, Any]:
    """Return labels and notices about the workers."""
    found = session.distributed(state)
    trace = session.trace(state)
    return {
        "notes": [*notes_of(found), *rules_note(trace.model.metadata)],
        "empty": why_empty(found, state.filter, trace.model.vocabulary.record_ranks),
        "calls": found.calls,
        "over": "the time of the steps" if trace.model.steps.recorded else "the recording",
    }
