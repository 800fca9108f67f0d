"""Makes parts of saved state for the tables, cards and figures of views."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.cards import freed
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

#: Maximum share of the remaining size that an important table may take, and that one of the last
#: tables may take.
SHARE = 0.4
LAST_SHARE = 0.6


def keep_table(
    saving: Saving, share: float = SHARE, most_rows: int = 0, **params: Any
) -> Iterator[str]:
    """Add a table.

    Parameters
    ----------
    saving : Saving
        The saved state.
    share : float, optional
        Maximum share of the remaining size.
    most_rows : int, optional
        Maximum number of rows; by default that of the plan.
    **params
        Parameters of a request for a page of the table.
    """
    add_table(
        saving.writer,
        saving.session,
        {"state": saving.plain_state, **params},
        most_rows=most_rows or saving.plan.most_rows,
        share=share,
    )
    yield str(params["table"])


def keep_context(saving: Saving, picks: str, share: float = SHARE, **params: Any) -> Iterator[str]:
    """Add a table without the filter fields that a chart sets, which the chart shows muted.

    Parameters
    ----------
    saving : Saving
        The saved state.
    picks : str
        Quantity selected by a click in the chart, see `nbprof.charts.cards.cards.CONTEXT`.
    share : float, optional
        Maximum share of the remaining size.
    **params
        Parameters of a request for a page of the table.
    """
    filter_ = freed(saving.state.filter, picks)
    if filter_ is not None:
        add_table(
            saving.writer,
            saving.session,
            {"state": {**saving.plain_state, "filter": filter_.to_dict()}, **params},
            most_rows=saving.plan.most_rows,
            share=share,
            context=picks,
        )
        yield str(params["table"])


def keep_cards(view: ViewSpec, saving: Saving) -> Iterator[str]:
    """Add the cards of a view."""
    screen = Screen(saving.session, saving.state)
    add_cards(saving.writer, view, cards_of(view, screen), screen)
    yield "cards"


def _keep_figures(view: ViewSpec, saving: Saving) -> Iterator[str]:
    """Add the figures that a view draws itself, or the reason why they are missing.

    They need BokehJS, which only pages contain; it is too large for saved notebooks.
    """
    plan = saving.plan
    screen = Screen(saving.session, saving.state)
    saved: list[dict[str, str]] = []
    items: list[bytes] = []
    for name, made in own_charts(view, screen, Look(theme=plan.theme)).items():
        with left_out_if_broken(view, f"is kept without its figure {name!r}"):
            about = {"name": str(name), "words": plan.no_figures}
            if not plan.no_figures:
                item = json.dumps(figure_items({name: made}, plan.theme)[name]).encode()
                if saving.writer.size_of("", parts=[item]) > saving.writer.room:
                    about["words"] = "This figure exceeds the size limit."
                else:
                    items.append(item)
            saved.append(about)
    if saved:
        saving.writer.add(f"figures:{view.name}", saved, items)
    yield "figures"


def cards_part(view: ViewSpec) -> SavedPart:
    """Return the cards of a view as a part of saved state."""
    return SavedPart(Priority.CARDS, partial(keep_cards, view))


def table_of(
    name: str, priority: Priority = Priority.TABLES, share: float = SHARE, **params: Any
) -> SavedPart:
    """Return a table as a part of saved state; parameters as in `keep_table`."""
    return SavedPart(priority, partial(keep_table, share=share, table=name, **params))


def cards_and_tables(view: ViewSpec, plan: SavePlan) -> Iterable[SavedPart]:
    """Return the parts of a view of cards and tables."""
    yield cards_part(view)
    # A reason takes hardly any room.
    priority = Priority.CARDS if plan.no_figures else Priority.GRAPHS
    yield SavedPart(priority, partial(_keep_figures, view))
    for name in view.tables:
        first, *others = groupings.groupings_of(name) or [""]
        yield table_of(name, group_by=first)
        if len(view.tables) == 1:  # of several, only the first grouping is shown
            for group_by in others:
                yield table_of(name, Priority.GROUPINGS, LAST_SHARE, group_by=group_by)
