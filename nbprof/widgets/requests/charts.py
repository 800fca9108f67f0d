"""Handler of ``charts``: figures and cards of a view, and the tables beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.state import State
from nbprof.widgets.views.drawing.cards import describe
from nbprof.widgets.views.drawing.figure_items import figure_items, known_templates
from nbprof.widgets.views.drawing.figures import cards_of, charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session.session import Progress, Session


def charts(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the charts of one view."""
    state = State.parse(params.get("state"))
    look = Look.parse(params)
    session.trace(state, progress)
    view = VIEWS[str(params.get("view"))]
    screen = Screen(session, state)
    notes: list[str] = []
    figures: dict[str, Any] = {}
    known = known_templates(params)
    for name, made in charts_of(view, screen, look, notes).items():
        with left_out_if_broken(view, f"is shown without its figure {name!r}", notes):
            figures.update(figure_items({str(name): made}, look.theme, known))
    cards: list[dict[str, Any]] = []
    buffers: list[bytes] = []
    for card in cards_of(view, screen, notes):
        with left_out_if_broken(view, f"is shown without its card {card.name!r}", notes):
            described, tables = describe([card], screen.table, look.choices, first=len(buffers))
            data = [to_ipc(table) for table in tables]
            json.dumps(described)  # if a card cannot be sent, only that card is left out
            cards += described
            buffers += data
    return Reply({"figures": figures, "cards": cards, "notes": notes}, buffers)
