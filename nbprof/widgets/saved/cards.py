"""Adds the cards of views to saved state: the values of every chart under every choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.card_charts import numbers
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.views.drawing.cards import describe
from nbprof.widgets.views.registry import left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card, CardChart
    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.views.spec import ViewSpec


def add_cards(
    writer: StateWriter,
    view: ViewSpec,
    cards: Sequence[Card],
    table_of: Callable[[str], pa.Table],
) -> None:
    """Put the cards of a view in; what does not fit is left out, and said so.

    Parameters
    ----------
    writer : StateWriter
        Takes them: ``cards:<view>`` is a list of `KeptCard` of ``js/src/offline/cards.ts``, and the
        tables are called ``table:card:<card>/<choice>/<number>:``.
    view : ViewSpec
        The view that shows them.
    cards : sequence of Card
        In the order of the screen.
    table_of : callable
        Gives a table by its name.
    """
    kept, left = [], []
    for card in cards:
        with left_out_if_broken(view, f"the card {card.name!r} of what is kept"):
            ways, tables = _ways(card, table_of)
            if all(_add(writer, path, card, table) for path, table in tables.items()):
                kept.append({"name": card.name, "ways": ways})
            else:
                left.append(card.title)
    if kept and not writer.add(f"cards:{view.name}", kept):
        left = [card.title for card in cards]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        writer.leave_out(f"{left[0]}{more} are left out.")


def _ways(
    card: Card, table_of: Callable[[str], pa.Table]
) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """Return a card under each of its choices, and the tables of all of them by their paths."""
    ways: dict[str, Any] = {}
    tables: dict[str, pa.Table] = {}
    for one in card.charts or [""]:
        wish = dict(zip(_keys(card), one.split("/"), strict=False))
        [info], [rows] = describe([card], table_of, {card.name: wish})
        path = "/".join([card.name, *info["choice"].values()])
        found = [rows, *(numbers(chart, table_of(chart.table)) for chart in card.shown(wish))]
        ways["/".join(info["choice"].values())] = {
            "info": info,
            "rows": f"card:{path}/0",
            "charts": [
                {**_look(chart, found[at]), "rows": f"card:{path}/{at}"}
                for at, chart in enumerate(card.shown(wish), 1)
            ],
        }
        tables.update((f"{path}/{at}", table) for at, table in enumerate(found))
    return ways, tables


def _keys(card: Card) -> list[str]:
    return [switch.key for switch in card.switches]


def _look(chart: CardChart, table: pa.Table) -> dict[str, Any]:
    """Return how a chart looks, whose numbers are a table beside it."""
    return {
        "name": chart.name,
        "kind": chart.kind,
        "title": chart.title,
        "quantity": chart.quantity,
        "low": chart.low,
        "stacked": chart.stacked,
        # what the bar without a name is called
        "rest": (table.schema[0].metadata or {}).get(b"missing", b"").decode(),
        "tokens": [token for _, _, token in chart.series],
    }


def _add(writer: StateWriter, path: str, card: Card, table: pa.Table) -> bool:
    about = {"table": card.name, "rows": table.num_rows, "sums": {}}
    return writer.add(f"table:card:{path}:", about, [to_ipc(table)])
