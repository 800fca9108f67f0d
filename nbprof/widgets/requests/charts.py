"""``charts``: the figures and cards of a view, and the small tables that stand beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State
from nbprof.widgets.views.cards import describe
from nbprof.widgets.views.figures import draw, figure_items
from nbprof.widgets.views.look import Look
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session import Progress, Session


def charts(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the charts of one view."""
    state = State.parse(params.get("state"))
    look = Look.parse(params)
    session.trace(state, progress)
    view = VIEWS[str(params.get("view"))]
    screen = Screen(session, state)
    figures = figure_items(draw(view, screen, look))
    cards, tables = describe(view.cards(screen), screen.table, look.choices)
    return Reply({"figures": figures, "cards": cards}, [to_ipc(table) for table in tables])
