"""Handler of ``distributed``: reads the workers of a run, and returns their cards and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.distributed import TABLES, distributed_cards
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.state import State
from nbprof.widgets.views.distributed.notices import notes_of, rules_note, why_empty
from nbprof.widgets.views.distributed.rank_loading import read_some
from nbprof.widgets.views.drawing.cards import card_charts, describe
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.listed_rows import busiest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.widgets.session.session import Progress, Session

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
    devices, about = labelled(session, state)
    screen = Screen(session, state)
    chosen = workers_cards(screen)
    cards, tables = describe(chosen, screen.table, look.choices, first=1)
    charts = card_charts(chosen, screen, look)
    items = figure_items(charts, look.theme, known_templates(params))
    result = {"done": done, "of": of, "cards": cards, "figures": items, **about}
    return Reply(result, [to_ipc(table) for table in (devices, *tables)])


def workers_cards(tables: TableSource) -> Sequence[Card]:
    """Return the cards of the workers; none if nothing communicates."""
    workers = tables.workers
    if workers is None or not workers.calls:
        return ()
    return distributed_cards({name: workers.table(name) for name in TABLES})


def labelled(session: Session, state: State) -> tuple[pa.Table, dict[str, Any]]:
    """Return the listed devices, and labels and notices about the workers."""
    compared = session.distributed(state)
    trace = session.trace(state)
    devices, left_out = busiest(compared.devices)
    about = {
        "notes": [*map(session.names.text, notes_of(compared)), *rules_note(trace.model.metadata)],
        "empty": why_empty(compared, state.filter, trace.model.vocabulary.record_ranks),
        "calls": compared.calls,
        "over": "step time" if trace.model.steps.recorded else "the recording",
    }
    return devices, about | ({"left_out": left_out} if left_out else {})
