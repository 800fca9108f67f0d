"""Cards of a view: draws their figures and describes them to the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.card_charts import chart_of, wide
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card
    from nbprof.charts.chart import Chart
    from nbprof.widgets.views.drawing.look import Look

#: Gap between two charts of a card in px, and the width from which two are side by side.
_GAP = 16
_BESIDE = 600


def card_charts(
    cards: Iterable[Card], table_of: Callable[[str], pa.Table], look: Look
) -> dict[str, Chart]:
    """Return the charts that cards show, laid out, by their names.

    Parameters
    ----------
    cards : iterable of Card
        What is shown.
    table_of : callable
        Gives a table by its name.
    look : Look
        How charts look; its choices say what the switches stand at.
    """
    made = {}
    for card in cards:
        charts = card.shown(look.choices.get(card.name, {}))
        for chart in charts:
            width = look.width(chart.name)
            if len(charts) > 1 and width >= _BESIDE:
                width = (width - _GAP * (len(charts) - 1)) // len(charts)
            table = table_of(chart.table)
            made[chart.name] = chart_of(chart, table, width=width, unit=look.unit)
    return made


def describe(
    cards: Iterable[Card],
    table_of: Callable[[str], pa.Table],
    choices: Mapping[str, Mapping[str, Any]],
    *,
    first: int = 0,
) -> tuple[list[dict[str, Any]], list[pa.Table]]:
    """Return cards as `Card` of ``js/src/chart/cards.ts``, and the tables that they point at.

    Parameters
    ----------
    cards : iterable of Card
        What is shown.
    table_of : callable
        Gives a table by its name.
    choices : mapping
        What was chosen of each.
    first : int, optional
        Number of the buffer that the first of these tables becomes.
    """
    described: list[dict[str, Any]] = []
    tables: list[pa.Table] = []
    for card in cards:
        wish = choices.get(card.name, {})
        charts = card.shown(wish)
        rows, whole = _rows(card, table_of, wish)
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
                "choice": card.choice(wish),
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
    card: Card, table_of: Callable[[str], pa.Table], wish: Mapping[str, Any]
) -> tuple[pa.Table, int]:
    """Return the first rows of a card's table, and their total number.

    Without a table these are the numbers of its bars, or the table that its donut is of.
    """
    chart = next(iter(card.shown(wish)), None)
    name = card.table or (chart.table if chart is not None and chart.kind == "donut" else "")
    if chart is None or name:
        table = table_of(name)
        table = pages.sort_rows(table, groupings.first_sort(name, table))
        if card.columns:
            table = table.select([key for key in card.columns if key in table.column_names])
    else:
        table = wide(chart, table_of(chart.table))
    return table.slice(0, card.most), table.num_rows
