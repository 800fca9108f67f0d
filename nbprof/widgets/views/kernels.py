"""`ViewSpec` of the kernels view: time by kernel, launch configuration and matrix units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.kernels import TABLES, kernel_cards
from nbprof.export.summary_part import SummaryPart
from nbprof.model.names.kernel_labels import label_by
from nbprof.model.names.short_names import short_name
from nbprof.widgets.saved.view_parts import cards_part
from nbprof.widgets.views.ranked_views import keep_groupings, shared_options
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.table_readers import ColoredReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.charts.chart import Chart
    from nbprof.widgets.saved.parts import SavedPart, SavePlan
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen

_HTML: Final = "nbprof.export.html"
_TEXT: Final = "nbprof.export.text"


def _cards(tables: TableSource) -> Sequence[Card]:
    return kernel_cards({name: tables.table(name) for name in TABLES})


def _figures(screen: Screen, look: Look) -> Mapping[str, Chart]:
    """Return the donuts of kernels and of matrix units."""
    from nbprof import charts

    table = screen.table("kernels", "name")
    unnamed = screen.around("kernels", "name", "name")
    label = label_by(screen.trace.model, short_name)
    shared = shared_options(screen, "kernels", look)
    return charts.kernel_donuts(table, unnamed=unnamed, label=label, **shared)


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    return (cards_part(VIEW), *keep_groupings(VIEW, plan))


VIEW: Final = ViewSpec(
    name="kernels",
    title="Kernels",
    script="kernels",
    finds=("kernels",),
    shows="launched",
    content=("kernels", "device"),
    table="kernels",
    cards=_cards,
    figures=_figures,
    readers={"kernels": ColoredReader()},
    keeps=_keeps,
    summary=(SummaryPart("kernels", f"{_HTML}.rankings:kernels", f"{_TEXT}.summary:kernels"),),
)
