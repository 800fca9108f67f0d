"""Card of event types on the overview, for recorders that classify host events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.cards.cards import Card, CardChart, Switch
from nbprof.charts.cards.stages import HOST_OR_DEVICE, STAGES
from nbprof.model.arrays import encoded, floats_of, joined
from nbprof.model.building import arrow_scalar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.charts.bars.bars import Quantity


#: The stages that recorders write as event types.
_STAGES: Final = tuple(stage for stage in STAGES if stage[0] not in ("Prefill", "Decode", "Mixed"))


#: Colours of event types, in descending order of time.
_COLORS: Final = ("slot0", "slot1", "slot2", "slot4", "slot7", "slot6", "slot5", "slot9", "slot3")


def event_types_card(tables: Mapping[str, pa.Table]) -> Card | None:
    """Return the card of event types, with charts of their time, calls and shares."""
    table = tables.get("events")
    if table is None or not table.num_rows:
        return None
    found = set(table["side"].to_pylist())
    sides = tuple((side, label) for side, label in HOST_OR_DEVICE if side in found)
    quantities: tuple[tuple[str, str, str, Quantity], ...] = (
        ("time", "Time", "duration_us", "time"),
        ("calls", "Calls", "calls", "count"),
        ("share", "Share", "pct", "share"),
        ("stage", "By stage", "duration_us", "time"),
    )
    charts = {}
    for side, _ in sides:
        types = _colored_types(table, side)
        for key, _, value, quantity in quantities:
            by_stage = key == "stage"
            charts[f"{side}/{key}"] = (
                CardChart(
                    "bars",
                    "events",
                    "events",
                    "stage" if by_stage else "event_type",
                    types if by_stage else _STAGES,
                    by="event_type" if by_stage else "stage",
                    value=value,
                    where=("side", side),
                    quantity=quantity,
                ),
            )
    switches = (
        Switch("side", "Events of", sides),
        Switch("way", "Shown", tuple((key, label) for key, label, _, _ in quantities)),
    )
    note = "by the stage that they began in"
    return Card("events", "Types of events", note, charts, switches)


def _colored_types(table: pa.Table, side: str) -> tuple[tuple[str, str, str], ...]:
    """Return the event types of host or device with their colours, most time first."""
    own = table.filter(pc.equal(table["side"], arrow_scalar(side)))
    coded = encoded(own["event_type"])
    names = coded.dictionary.to_pylist()
    time = np.nan_to_num(floats_of(own["duration_us"]))
    sums = np.bincount(joined(coded.indices), time, len(names)).tolist()
    names = [name for _, name in sorted(zip(sums, names, strict=True), key=lambda s: (-s[0], s[1]))]
    return tuple((name, name, _COLORS[at % len(_COLORS)]) for at, name in enumerate(names))
