"""Adds the tables, cards and figures of views to saved state."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from nbprof.widgets.saved.cards import add_cards
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.tables import add_table
from nbprof.widgets.views import groupings
from nbprof.widgets.views.drawing.figure_items import figure_items
from nbprof.widgets.views.drawing.figures import cards_of, own_charts
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.views.spec import ViewSpec

#: Of the room that is left, what one of the tables that every reader wants may take, and what one
#: of the last.
SHARE = 0.4
LAST_SHARE = 0.6


def keep_table(
    saving: Saving, share: float = SHARE, most_rows: int = 0, **params: Any
) -> Iterator[str]:
    """Put a table in.

    Parameters
    ----------
    saving : Saving
        The saved state.
    share : float, optional
        Of the room that is left, what it may take.
    most_rows : int, optional
        Most rows; by default what is wished for any table.
    **params
        Of a request for a page of it.
    """
    add_table(
        saving.writer,
        saving.session,
        {"state": saving.plain_state, **params},
        most_rows=most_rows or saving.plan.most_rows,
        share=share,
    )
    yield str(params["table"])


def keep_cards(view: ViewSpec, saving: Saving) -> Iterator[str]:
    """Put the cards of a view in."""
    screen = Screen(saving.session, saving.state)
    add_cards(saving.writer, view, cards_of(view, screen), screen.table)
    yield "cards"


def _keep_figures(view: ViewSpec, saving: Saving) -> Iterator[str]:
    """Put the figures in that a view draws itself, or why they are not there.

    BokehJS draws them, which only a page has; a saved notebook has no room for it.
    """
    plan = saving.plan
    screen = Screen(saving.session, saving.state)
    kept: list[dict[str, str]] = []
    items: list[bytes] = []
    for name, made in own_charts(view, screen, Look(theme=plan.theme)).items():
        with left_out_if_broken(view, f"the figure {name!r} of what is kept"):
            about = {"name": str(name), "words": plan.no_figures}
            if not plan.no_figures:
                item = json.dumps(figure_items({name: made}, plan.theme)[name]).encode()
                if saving.writer.taken("", parts=[item]) > saving.writer.room:
                    about["words"] = "This figure exceeds the size limit."
                else:
                    items.append(item)
            kept.append(about)
    if kept:
        saving.writer.add(f"figures:{view.name}", kept, items)
    yield "figures"


def cards_part(view: ViewSpec) -> SavedPart:
    """Return the cards of a view as a part of saved state."""
    return SavedPart(Priority.CARDS, partial(keep_cards, view))


def table_of(
    name: str, priority: Priority = Priority.TABLES, share: float = SHARE, **params: Any
) -> SavedPart:
    """Return a table as a part of saved state; parameters as those of `keep_table`."""
    return SavedPart(priority, partial(keep_table, share=share, table=name, **params))


def cards_and_tables(view: ViewSpec, plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    """Return what a view of cards and tables keeps."""
    yield cards_part(view)
    yield SavedPart(Priority.GRAPHS, partial(_keep_figures, view))
    for name in view.tables:
        first, *others = groupings.ways(name) or [""]
        yield table_of(name, group_by=first)
        if len(view.tables) == 1:  # of several, only the first grouping is shown
            for group_by in others:
                yield table_of(name, Priority.GROUPINGS, LAST_SHARE, group_by=group_by)
