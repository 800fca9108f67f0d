"""Adds the tables, cards and figures of views to a snapshot."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from nbprof.widgets.kernelless.kept import Kept, Rank
from nbprof.widgets.kernelless.snapshot_cards import add_cards
from nbprof.widgets.kernelless.snapshot_tables import add_table
from nbprof.widgets.views import groupings
from nbprof.widgets.views.figures import cards_of, figure_items, own_figures
from nbprof.widgets.views.look import Look
from nbprof.widgets.views.registry import left_out_if_broken
from nbprof.widgets.views.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbprof.widgets.kernelless.kept import Filling, Wish
    from nbprof.widgets.views.spec import ViewSpec

#: Of the room that is left, what one of the tables that every reader wants may take, and what one
#: of the last.
SHARE = 0.4
LAST_SHARE = 0.6


def keep_table(
    filling: Filling, share: float = SHARE, most_rows: int = 0, **params: Any
) -> Iterator[str]:
    """Put a table in.

    Parameters
    ----------
    filling : Filling
        The snapshot.
    share : float, optional
        Of the room that is left, what it may take.
    most_rows : int, optional
        Most rows; by default what is wished for any table.
    **params
        Of a request for a page of it.
    """
    add_table(
        filling.writer,
        filling.session,
        {"state": filling.plain_state, **params},
        most_rows=most_rows or filling.wish.most_rows,
        share=share,
    )
    yield str(params["table"])


def keep_cards(view: ViewSpec, filling: Filling) -> Iterator[str]:
    """Put the cards of a view in."""
    screen = Screen(filling.session, filling.state)
    add_cards(filling.writer, view, cards_of(view, screen), screen.table)
    yield "cards"


def keep_figures(view: ViewSpec, filling: Filling) -> Iterator[str]:
    """Put the figures in that a view draws itself, or why they are not there.

    BokehJS draws them, which only a page has; a saved notebook has no room for it.
    """
    wish = filling.wish
    screen = Screen(filling.session, filling.state)
    kept: list[dict[str, str]] = []
    items: list[bytes] = []
    for name, made in own_figures(view, screen, Look(theme=wish.theme)).items():
        with left_out_if_broken(view, f"the figure {name!r} of what is kept"):
            about = {"name": str(name), "words": wish.no_figures}
            if not wish.no_figures:
                item = json.dumps(figure_items({name: made})[name]).encode()
                if filling.writer.taken("", parts=[item]) > filling.writer.room:
                    about["words"] = "There was no room for this figure."
                else:
                    items.append(item)
            kept.append(about)
    if kept:
        filling.writer.add(f"figures:{view.name}", kept, items)
    yield "figures"


def cards_part(view: ViewSpec) -> Kept:
    """Return the cards of a view as a part of a snapshot."""
    return Kept(Rank.CARDS, partial(keep_cards, view))


def table_of(name: str, rank: Rank = Rank.TABLES, share: float = SHARE, **params: Any) -> Kept:
    """Return a table as a part of a snapshot; parameters as those of `keep_table`."""
    return Kept(rank, partial(keep_table, share=share, table=name, **params))


def cards_and_tables(view: ViewSpec, wish: Wish) -> Iterable[Kept]:  # noqa: ARG001 - as of all views
    """Return what a view of cards and tables keeps."""
    yield cards_part(view)
    yield Kept(Rank.GRAPHS, partial(keep_figures, view))
    for name in view.tables:
        first, *others = groupings.ways(name) or [""]
        yield table_of(name, group_by=first)
        if len(view.tables) == 1:  # of several, only the first grouping is shown
            for group_by in others:
                yield table_of(name, Rank.GROUPINGS, LAST_SHARE, group_by=group_by)
