"""Card of the operators view: time in the phases of operators, as Paddle records them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.cards import Card, CardChart, Switch
from nbprof.charts.cards.stages import sides_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

#: The tables that the card uses.
TABLES: Final = ("operator_phases",)

#: Phases: name, label, colour.
PHASES: Final = (
    ("infer_shape", "Infer shape", "slot0"),
    ("compute", "Compute", "slot4"),
    ("node_creation", "Node creation", "slot7"),
    ("others", "Others", "other"),
)

_MOST: Final = 12


def operator_cards(tables: Mapping[str, pa.Table]) -> list[Card]:
    """Return the card of operator phases; none if the recorder writes no phases.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        Tables of `TABLES`.
    """
    table = tables.get("operator_phases")
    if table is None or not set(table["phase"].to_pylist()) - {"others"}:
        return []
    sides = sides_of(table, {"host": "host_us", "device": "device_us"})
    charts = {
        side: (
            CardChart(
                "bars",
                "operator_phases",
                "operator_phases",
                "name",
                PHASES,
                by="phase",
                value=f"{side}_us",
                most=_MOST,
                picks="name",
            ),
        )
        for side, _ in sides
    }
    switch = Switch("side", "Time of", sides)
    note = "operators with the most time, and what they spend it on"
    return (
        [Card("operator_phases", "Phases of operators", note, charts, (switch,))] if sides else []
    )
