"""Cards of the distributed view: how workers spend their steps, and the time they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from nbprof.charts.cards.cards import Card, CardChart, Switch

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

#: The tables that the cards use.
TABLES: Final = ("distributed_overview", "distributed_wait")

#: Parts of each chart; the last part is the remainder, which is not drawn where it is 0.
_PARTS: Final = {
    "distributed_overview": (
        ("computation_us", "Computation", "kernel"),
        ("overlapping_us", "Overlapping", "slot6"),
        ("communication_us", "Communication", "communication"),
        ("other_us", "Other", "other"),
    ),
    "distributed_wait": (
        ("data_transfer_us", "Data transfer", "communication"),
        ("synchronizing_us", "Waiting for others", "slot4"),
        ("other_us", "Neither, as recorded", "other"),
    ),
}
_TITLES: Final = {
    "distributed_overview": (
        "Computation and communication",
        "the time of a step; overlapping: communication that computation hides",
    ),
    "distributed_wait": (
        "Parts of communication",
        "the calls of a step, whether computation hides them or not",
    ),
}


def distributed_cards(tables: Mapping[str, pa.Table]) -> list[Card]:
    """Return the cards for the tables that have rows.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        The tables of `TABLES`; those without rows have no card.
    """
    return [_card(name, tables[name]) for name in TABLES if tables[name].num_rows]


def _card(name: str, table: pa.Table) -> Card:
    """Return a card of bars by worker, for the mean over all steps or for one step."""
    numbers = dict.fromkeys(table["step"].to_pylist())
    steps = {_key(step): "All, mean" if step is None else f"Step {step}" for step in numbers}
    *parts, rest = _PARTS[name]
    if pc.sum(table[rest[0]]).as_py():
        parts.append(rest)
    charts = {
        key: (
            CardChart(
                "bars", name, name, "worker", tuple(parts), where=("step", key), picks="worker"
            ),
        )
        for key in steps
    }
    title, note = _TITLES[name]
    switch = Switch("step", "Step", tuple(steps.items()), menu=True)
    return Card(name, title, note, charts, (switch,))


def _key(step: int | None) -> str:
    return "" if step is None else str(step)
