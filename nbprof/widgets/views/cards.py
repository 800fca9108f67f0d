"""The cards of a view: which there are, their figures, and what the browser is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.card_charts import figure_of, wide
from nbprof.charts.cards.distributed import TABLES as DISTRIBUTED_TABLES
from nbprof.charts.cards.distributed import distributed_cards
from nbprof.charts.cards.kernels import TABLES as KERNEL_TABLES
from nbprof.charts.cards.kernels import kernel_cards
from nbprof.charts.cards.operators import TABLES as OPERATOR_TABLES
from nbprof.charts.cards.operators import operator_cards
from nbprof.charts.cards.overview import overview_cards, tables_for
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.charts.cards.cards import Card
    from nbprof.widgets.session import Session, State
    from nbprof.widgets.views.figures import Look

#: Pixels between two charts of a card, and the width from which two stand side by side.
_GAP = 16
_BESIDE = 600


def cards_of(session: Session, state: State, view: str) -> list[Card]:
    """Return the cards of a view, in the order of the screen."""
    if view == "distributed":
        found = session.distributed(state)
        of_workers = {name: found.table(name) for name in DISTRIBUTED_TABLES}
        return distributed_cards(of_workers) if found.calls else []
    trace = session.trace(state)
    capabilities = trace.model.capabilities
    if view == "overview":
        tables = {name: session.table(state, name) for name in tables_for(capabilities)}
        return overview_cards(tables, recorded=trace.model.steps.recorded)
    if view == "kernels":
        return kernel_cards({name: session.table(state, name) for name in KERNEL_TABLES})
    if view == "operators" and capabilities.event_types:
        return operator_cards({name: session.table(state, name) for name in OPERATOR_TABLES})
    return []


def draw_cards(
    cards: Iterable[Card], table_of: Callable[[str], pa.Table], look: Look
) -> dict[str, figure]:
    """Return the figures that cards show, by their names.

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
            made[chart.name] = figure_of(
                chart, table_of(chart.table), theme=look.theme, width=width, unit=look.unit
            )
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
    """Return the rows of a card's table, the first of them, and how many there are in all."""
    if card.table:
        table = table_of(card.table)
        table = pages.sort_rows(table, groupings.first_sort(card.table, table))
        if card.columns:
            table = table.select([name for name in card.columns if name in table.column_names])
    else:
        chart = card.shown(wish)[0]
        table = wide(chart, table_of(chart.table))
    return table.slice(0, card.most), table.num_rows
