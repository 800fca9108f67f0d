"""What views of cards and tables contribute to the static summary."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nbprof.export.html.cards import card_html, table_html
from nbprof.export.html.pieces import Html, join
from nbprof.export.parts import SummaryPart
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.theme import Palette
    from nbprof.export.summary import Summary
    from nbprof.widgets.views.spec import ViewSpec


def summary_parts(view: ViewSpec) -> Sequence[SummaryPart]:
    """Return the parts of a view; its cards and tables where it has no others."""
    if view.summary is not None:
        return view.summary
    return (SummaryPart(view.title.lower(), partial(_html, view)),)


def _html(view: ViewSpec, summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the cards of a view, and the first rows of its tables."""
    pieces: list[Html] = []
    with left_out_if_broken(view, "the summary"):
        cards = view.cards(summary)
        shown = {card.table for card in cards}
        pieces += [card_html(card, summary, colors, unit) for card in cards]
        pieces += [
            table_html(view.title, summary.table(name), unit)
            for name in view.tables
            if name not in shown
        ]
    return join(pieces)
