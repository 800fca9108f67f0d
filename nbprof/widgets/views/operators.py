"""`ViewSpec` of the operators view: time by operator on device and host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.operators import TABLES, operator_cards
from nbprof.export.summary_part import SummaryPart
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import cards_part, keep_table
from nbprof.widgets.views.ranked_views import keep_groupings, shared_options
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.table_readers import ColoredReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen

_HTML: Final = "nbprof.export.html"
_TEXT: Final = "nbprof.export.text"


def _cards(tables: TableSource) -> Sequence[Card]:
    """Return the cards with operator details of recorders that give events types."""
    if not tables.trace.model.capabilities.event_types:
        return ()
    return operator_cards({name: tables.table(name) for name in TABLES})


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    """Return the donuts of self time and the bars of total time."""
    from nbprof import charts

    table = screen.table("operators", "name")
    unnamed = screen.around("operators", "name", "name")
    if not (table if unnamed is None else unnamed).num_rows:
        return {}
    return charts.operator_charts(
        table,
        unnamed=unnamed,
        **shared_options(screen, "operators", look),
    )


def _keep_parts(saving: Saving) -> Iterator[str]:
    if saving.session.table(saving.state, "operator_parts").num_rows:
        yield from keep_table(saving, table="operator_parts")


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    return (cards_part(VIEW), *keep_groupings(VIEW, plan), SavedPart(Priority.DETAILS, _keep_parts))


VIEW: Final = ViewSpec(
    name="operators",
    title="Operators",
    script="operators",
    finds=("operators", "user_events"),
    table="operators",
    cards=_cards,
    figures=_figures,
    main_figures=("device_self", "host_self"),
    readers={"operators": ColoredReader()},
    keeps=_keeps,
    summary=(
        SummaryPart(
            "operators",
            f"{_HTML}.rankings:operators",
            f"{_TEXT}.summary:operators",
        ),
    ),
)
