"""The cards of views for where there is no Python: each under every choice, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.charts.cards.card_charts import numbers
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.views.cards import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card, CardChart
    from nbprof.widgets.kernelless.snapshot import SnapshotWriter


def add_cards(
    writer: SnapshotWriter, view: str, cards: Sequence[Card], table_of: Callable[[str], pa.Table]
) -> None:
    """Put the cards of a view in; what does not fit is left out, and said so.

    Parameters
    ----------
    writer : SnapshotWriter
        Takes them: ``cards:<view>`` is a list of `KeptCard` of ``js/src/offline/cards.ts``, and the
        tables are called ``table:card:<card>/<choice>/<number>:``.
    view : str
        The view that shows them.
    cards : sequence of Card
        In the order of the screen.
    table_of : callable
        Gives a table by its name.
    """
    kept, left = [], []
    for card in cards:
        wishes = [
            dict(zip(_keys(card), one.split("/"), strict=False)) for one in card.charts or [""]
        ]
        ways: dict[str, Any] = {}
        fits = True
        for wish in wishes:
            [info], [rows] = describe([card], table_of, {card.name: wish})
            path = "/".join([card.name, *info["choice"].values()])
            tables = [rows, *(numbers(chart, table_of(chart.table)) for chart in card.shown(wish))]
            ways["/".join(info["choice"].values())] = {
                "info": info,
                "rows": f"card:{path}/0",
                "charts": [
                    {**_look(chart, tables[at]), "rows": f"card:{path}/{at}"}
                    for at, chart in enumerate(card.shown(wish), 1)
                ],
            }
            fits = fits and all(
                _add(writer, f"{path}/{at}", card, t) for at, t in enumerate(tables)
            )
        if fits:
            kept.append({"name": card.name, "ways": ways})
        else:
            left.append(card.title)
    if kept and not writer.add(f"cards:{view}", kept):
        left = [card.title for card in cards]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        writer.leave_out(f"{left[0]}{more} are left out.")


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
        # what the bar without a name is called
        "rest": (table.schema[0].metadata or {}).get(b"missing", b"").decode(),
        "tokens": [token for _, _, token in chart.series],
    }


def _add(writer: SnapshotWriter, path: str, card: Card, table: pa.Table) -> bool:
    about = {"table": card.name, "rows": table.num_rows, "sums": {}}
    return writer.add(f"table:card:{path}:", about, [to_ipc(table)])
