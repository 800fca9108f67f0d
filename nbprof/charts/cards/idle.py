"""Cards of idle time on the overview: by what the host did meanwhile, and the longest gaps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.cards.cards import Card, CardChart, Switch, has_values
from nbprof.model.contract.table import beside
from nbprof.model.units import device_label, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Causes of idle gaps: value of the column, label, colour.
_CAUSES: Final = (
    ("host", "Host too late", "dataloader"),
    ("kernel", "Queued, launch gap < 30 µs", "slot0"),
    ("other", "Queued, waited for something else", "slot2"),
    ("", "Launch unknown", "other"),
)


_MOST_BARS: Final = 8


def idle_card(tables: Mapping[str, pa.Table]) -> Card | None:
    """Return the card of the idle time of devices."""
    gaps, times = tables.get("idle_time"), tables.get("device_time")
    if not gaps or not times or not has_values(times, "idle_us"):
        return None
    chart = CardChart(
        "bars",
        "idle_by_host",
        "idle_time",
        "host_operator",
        _CAUSES,
        by="cause",
        value="duration_us",
        most=_MOST_BARS,
        unnamed="no recorded host work",
        picks="name",
    )
    by = [("host", "Host work")]
    charts = {"host": (chart,)}
    if times.num_rows > 1:
        by.append(("device", "Device"))
        charts["device"] = (
            replace(chart, name="idle_by_device", x="device", most=0, unnamed="", picks=""),
        )
    idle, whole = (pc.sum(times[name]).as_py() for name in ("idle_us", "total_us"))
    first = times.slice(0, 1).to_pylist()[0]
    idle_of = (
        f"{device_label(first['device_type'], first['device'])} was idle"
        if times.num_rows == 1
        else f"{times.num_rows:,} devices were idle"
    )
    note = (
        f"{idle_of} {format_time(idle)} of {format_time(whole)}"
        f" ({format_pct(100 * idle / whole)} %); what the host itself was doing meanwhile, on the"
        " thread that launched the next work"
    )
    if words := beside(times):
        note = f"{words}. {note}"
    return Card("idle", "Idle", note, charts, (Switch("by", "Idle time by", tuple(by)),))


def gaps_card(tables: Mapping[str, pa.Table]) -> Card | None:
    """Return the card of the longest times in which a device was idle."""
    table = tables.get("longest_gaps")
    if not table:
        return None
    share = format_pct(pc.sum(table["of_idle_pct"]).as_py() or 0)
    note = f"{share} % of the idle time"
    if words := beside(table):
        note = f"{words}. {note}"
    one_device = len(pc.unique(table["device"])) == 1
    return Card(
        "longest_gaps",
        "Longest idle gaps",
        note,
        table="longest_gaps",
        columns=(
            "start_us",
            "duration_us",
            "of_idle_pct",
            *(() if one_device else ("device",)),
            "host_operator",
            "host_pct",
            "cause",
        ),
        picks="range",
    )
