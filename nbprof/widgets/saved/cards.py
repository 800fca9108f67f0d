"""Adds cards to saved state: the numbers of every chart in every position of the switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.card_charts import in_context, numbers
from nbprof.model.building import arrow_array
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.saved.tables import NO_CONTEXT, context_name
from nbprof.widgets.views.drawing.cards import describe
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card, CardChart, TableSource
    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.views.spec import ViewSpec

#: Additional column of the tables of such charts: whether the filter leaves a bar out.
OUTSIDE: Final = "nbprof:outside"


def add_cards(
    writer: StateWriter,
    view: ViewSpec,
    cards: Sequence[Card],
    tables: TableSource,
) -> None:
    """Add the cards of a view; those that do not fit are listed as left out.

    Parameters
    ----------
    writer : StateWriter
        Gets the entry ``cards:<view>``, a list of `KeptCard` of ``js/src/offline/cards.ts``, and
        the tables ``table:card:<card>/<choice>/<number>:``; under a filter, also the tables
        ``<picks>:table:card:…`` of charts that show what the filter leaves out.
    view : ViewSpec
        The view that shows the cards.
    cards : sequence of Card
        The cards in screen order.
    tables : TableSource
        Returns tables by name.
    """
    saved, omitted = [], []
    for card in cards:
        with left_out_if_broken(view, f"is kept without its card {card.name!r}"):
            variants, own = _variants(card, tables.table)
            if all(_add_table(writer, path, card, table) for path, table in own.items()):
                _add_context(writer, card, tables)
                saved.append({"name": card.name, "variants": variants})
            else:
                omitted.append(card.title)
    if saved and not writer.add(f"cards:{view.name}", saved):
        omitted = [card.title for card in cards]
    if omitted:
        more = f" and {len(omitted) - 1} more" if len(omitted) > 1 else ""
        writer.leave_out(f"{omitted[0]}{more} are left out.")


def _variants(
    card: Card, table_of: Callable[[str, str], pa.Table]
) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """Return the variants of a card, one for each choice, and the tables of all by path."""
    variants: dict[str, Any] = {}
    tables: dict[str, pa.Table] = {}
    for one in card.charts or [""]:
        choice = dict(zip(_keys(card), one.split("/"), strict=False))
        [info], [rows] = describe([card], table_of, {card.name: choice})
        path = "/".join([card.name, *info["choice"].values()])
        tables_of_variant = [
            rows,
            *(numbers(one, table_of(one.table, one.group_by)) for one in card.shown(choice)),
        ]
        variants["/".join(info["choice"].values())] = {
            "info": info,
            "rows": f"card:{path}/0",
            "charts": [
                {**_chart_description(chart), "rows": f"card:{path}/{at}"}
                for at, chart in enumerate(card.shown(choice), 1)
            ],
        }
        tables.update((f"{path}/{at}", table) for at, table in enumerate(tables_of_variant))
    return variants, tables


def _add_context(writer: StateWriter, card: Card, tables: TableSource) -> None:
    """Add the bars that the filter leaves out, beside those that it keeps."""
    for one in card.charts or [""]:
        choice = dict(zip(_keys(card), one.split("/"), strict=False))
        path = "/".join([card.name, *card.choice(choice).values()])
        for at, chart in enumerate(card.shown(choice), 1):
            if chart.kind != "bars":
                continue
            whole = tables.around(chart.table, chart.picks, chart.group_by)
            if whole is None:
                continue
            rows, outside = in_context(chart, tables.table(chart.table, chart.group_by), whole)
            rows = rows.append_column(OUTSIDE, arrow_array(outside))
            if not _add_table(writer, f"{path}/{at}", card, rows, context_name(chart.picks)):
                writer.leave_out(NO_CONTEXT)


def _keys(card: Card) -> list[str]:
    return [switch.key for switch in card.switches]


def _chart_description(chart: CardChart) -> dict[str, Any]:
    """Return the description of a chart; its numbers are in a separate table."""
    return {
        "name": chart.name,
        "kind": chart.kind,
        "title": chart.title,
        "quantity": chart.quantity,
        "low": chart.low,
        "stacked": chart.stacked,
        "tokens": [token for _, _, token in chart.series],
        # of points: the texts of the legend and the axes, and the roofs
        "labels": [label for _, label, _ in chart.series],
        "axes": list(chart.axes),
        "roofs": [list(roof) for roof in chart.roofs],
    }


def _add_table(
    writer: StateWriter, path: str, card: Card, table: pa.Table, context: str = ""
) -> bool:
    # label of the bar without a name
    rest = (table.schema[0].metadata or {}).get(b"missing", b"").decode()
    about = {"table": card.name, "rows": table.num_rows, "sums": {}, "rest": rest}
    return writer.add(f"{context}table:card:{path}:", about, [to_ipc(table)])
