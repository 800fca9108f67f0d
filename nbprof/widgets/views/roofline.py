"""`ViewSpec` of the roofline view: achieved FLOP/s and bytes/s beside what the device can reach."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.roofline import TABLES, roofline_card
from nbprof.export.summary_part import SummaryPart
from nbprof.widgets.hints.hints import hint, holdings
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.charts.theme import Palette
    from nbprof.export.html.elements import Html
    from nbprof.export.summary_tables import Summary


#: Points of a small drawing.
_MOST: Final = 60


def _cards(tables: TableSource) -> Sequence[Card]:
    model = tables.trace.model
    missing = "" if holdings(model)["shapes"] else hint(model, "shapes").rstrip(".")
    devices = [row["name"] or "" for row in model.tables["devices"].to_pylist()]
    card = roofline_card({name: tables.table(name) for name in TABLES}, missing, devices)
    return () if card is None else (card,)


def _html(summary: Summary, colors: Palette, unit: str) -> Html:
    # Not needed for the first picture.
    from nbprof.widgets.views.drawing.static import cards_html

    return cards_html(VIEW, _longest(summary) if summary.compact else summary, colors, unit)


def _longest(summary: Summary) -> Summary:
    """Return a summary with only the operators that take most of the time, for a small drawing."""
    small = copy(summary)
    table_of = summary.table
    small.table = lambda name, group_by="": table_of(name, group_by).slice(0, _MOST)  # type: ignore[method-assign]
    return small


VIEW: Final = ViewSpec(
    name="roofline",
    title="Roofline",
    tables=("operator_costs",),
    cards=_cards,
    content=("shapes", "kernels"),
    summary=(SummaryPart("roofline", _html, "nbprof.export.text.roofline:roofline"),),
)
