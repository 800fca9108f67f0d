"""`ViewSpec` of the operators view: time by operator on device and host."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.charts.cards.operators import TABLES, operator_cards
from nbprof.export.summary_part import SummaryPart
from nbprof.widgets.hints import hints
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import cards_part, keep_table, table_of
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
    """Return the donuts of self time and the bars of total time.

    Charts of a side on which no operator ever takes time are left out, also under filters.
    """
    from nbprof import charts

    table = screen.table("operators", "name")
    unnamed = screen.around("operators", "name", "name")
    if not (table if unnamed is None else unnamed).num_rows:
        return {}
    every = screen.whole().table("operators", "name")
    return {
        key: chart
        for key, chart in charts.operator_charts(
            table,
            unnamed=unnamed,
            **shared_options(screen, "operators", look),
        ).items()
        if pc.max(every[f"{key}_us"]).as_py()
    }


def _keep_parts(saving: Saving) -> Iterator[str]:
    if saving.session.table(saving.state, "operator_parts").num_rows:
        yield from keep_table(saving, table="operator_parts")


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    return (
        cards_part(VIEW),
        *keep_groupings(VIEW, plan),
        SavedPart(Priority.DETAILS, _keep_parts),
        table_of("key_averages", Priority.DETAILS, group_by="name"),
        *(
            SavedPart(Priority.DETAILS, partial(_keep_averages, group_by, need))
            for group_by, need in AVERAGES_NEED.items()
        ),
    )


#: Groupings of `key_averages`, and the data that each needs.
AVERAGES_NEED: Final = {"name+shape": "shapes", "name+stack1": "stacks", "name+stack5": "stacks"}


def _keep_averages(group_by: str, need: str, saving: Saving) -> Iterator[str]:
    if hints.holdings(saving.session.trace(saving.state).model)[need]:
        yield from keep_table(saving, table="key_averages", group_by=group_by)


VIEW: Final = ViewSpec(
    name="operators",
    title="Operators",
    script="operators",
    finds=("operators", "user_events", "key_averages"),
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
        SummaryPart("the table that PyTorch prints", f"{_HTML}.averages:averages"),
    ),
)
