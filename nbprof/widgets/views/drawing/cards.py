"""Lays out the charts of cards, and describes cards to the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbprof.charts.cards.card_charts import chart_of, wide
from nbprof.model.arrays import floats_of
from nbprof.model.building import arrow_array
from nbprof.model.names.kernel_labels import label_by
from nbprof.model.names.short_names import short_name
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.charts.chart import Chart
    from nbprof.widgets.views.drawing.look import Look

#: Gap between two charts of a card in px, and the width from which two are side by side.
_GAP = 16
_BESIDE = 600


def card_charts(cards: Iterable[Card], tables: TableSource, look: Look) -> dict[str, Chart]:
    """Lay out the charts of cards, and return them by name.

    Parameters
    ----------
    cards : iterable of Card
        What is shown.
    tables : TableSource
        Gives tables by their names.
    look : Look
        Look of the charts, with the choices of the switches.
    """
    made = {}
    label = label_by(tables.trace.model, short_name)
    for card in cards:
        charts = card.shown(look.choices.get(card.name, {}))
        for chart in charts:
            width = look.width(chart.name)
            if len(charts) > 1 and width >= _BESIDE:
                width = (width - _GAP * (len(charts) - 1)) // len(charts)
            table = tables.table(chart.table, chart.group_by)
            whole = tables.around(chart.table, chart.picks, chart.group_by)
            made[chart.name] = chart_of(
                chart, table, width=width, unit=look.unit, whole=whole, label=label
            )
    return made


def describe(
    cards: Iterable[Card],
    table_of: Callable[[str, str], pa.Table],
    choices: Mapping[str, Mapping[str, Any]],
    *,
    first: int = 0,
) -> tuple[list[dict[str, Any]], list[pa.Table]]:
    """Return cards as `Card` of ``js/src/chart/cards.ts``, and the tables that they refer to.

    Parameters
    ----------
    cards : iterable of Card
        What is shown.
    table_of : callable
        Gives a table by its name and grouping.
    choices : mapping
        Positions of the switches of each card.
    first : int, optional
        Number of the buffer that the first of these tables becomes.
    """
    described: list[dict[str, Any]] = []
    tables: list[pa.Table] = []
    for card in cards:
        choice = choices.get(card.name, {})
        charts = card.shown(choice)
        rows, whole = _rows(card, table_of, choice)
        described.append(
            {
                "name": card.name,
                "title": card.title,
                "note": card.note,
                "switches": [
                    {
                        "key": one.key,
                        "label": one.label,
                        "options": [list(o) for o in one.options],
                        "menu": one.menu,
                    }
                    for one in card.switches
                ],
                "choice": card.choice(choice),
                "figures": [
                    {"name": chart.name, "kind": chart.kind, "title": chart.title}
                    for chart in charts
                ],
                "picks": charts[0].picks if charts else card.picks,
                "table": card.table,
                "rows": first + len(tables),
                "of": whole,
            }
        )
        tables.append(rows)
    return described, tables


def _rows(
    card: Card, table_of: Callable[[str, str], pa.Table], choice: Mapping[str, Any]
) -> tuple[pa.Table, int]:
    """Return the first rows of a card's table, and their total number.

    Without a table these are the numbers of its bars, or the table that its chart is of.
    """
    chart = next(iter(card.shown(choice)), None)
    name = card.table or (chart.table if chart is not None and chart.kind != "bars" else "")
    if chart is None or name:
        of_chart = "" if chart is None or chart.table != name else chart.group_by
        grouping = card.choice(choice).get("group_by", of_chart)
        table = _with_values(table_of(name, grouping))
        table = pages.sort_rows(table, groupings.first_sort(name, table))
        if card.columns:
            table = table.select([key for key in card.columns if key in table.column_names])
    else:
        table = wide(chart, table_of(chart.table, chart.group_by))
    return table.slice(0, card.most), table.num_rows


def _with_values(table: pa.Table) -> pa.Table:
    """Leave out rows whose numbers are all 0 or null, unless all rows are like that."""
    told = np.zeros(table.num_rows, np.bool_)
    for field in table.schema:
        if pa.types.is_integer(field.type) or pa.types.is_floating(field.type):
            told |= np.nan_to_num(floats_of(table[field.name])) != 0
    return table.filter(arrow_array(told)) if told.any() else table
