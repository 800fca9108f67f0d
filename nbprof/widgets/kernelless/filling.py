"""How views put their tables and cards into a snapshot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from nbprof.widgets.kernelless.kept import Kept, Rank
from nbprof.widgets.kernelless.snapshot_cards import add_cards
from nbprof.widgets.kernelless.snapshot_tables import add_table
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
    add_cards(filling.writer, view.name, view.cards(screen), screen.table)
    yield "cards"


def cards_of(view: ViewSpec) -> Kept:
    """Return the cards of a view as a part of a snapshot."""
    return Kept(Rank.CARDS, partial(keep_cards, view))


def table_of(name: str, rank: Rank = Rank.TABLES, share: float = SHARE, **params: Any) -> Kept:
    """Return a table as a part of a snapshot; parameters as those of `keep_table`."""
    return Kept(rank, partial(keep_table, share=share, table=name, **params))


def cards_and_tables(view: ViewSpec, wish: Wish) -> Iterable[Kept]:  # noqa: ARG001 - as of all views
    """Return what a view of cards and tables keeps."""
    return (cards_of(view), *(table_of(name) for name in view.tables))
