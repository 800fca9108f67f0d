"""Workers of a run side by side, as a section of the HTML summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.cards.card_charts import svg_of
from nbprof.charts.cards.distributed import TABLES, distributed_cards
from nbprof.export.html.elements import Column, Html, image, join, line, name, note, section, text
from nbprof.export.html.elements import table as html_table
from nbprof.model.units import (
    MISSING,
    choose_time_unit,
    format_bytes,
    format_count,
    format_number,
    format_value,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary
    from nbprof.model.units import TimeUnit

_ROWS: Final = 12


def workers(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return each worker's mean step and waiting time, and the communication operators."""
    found = summary.workers
    if found is None or not found.calls:
        return Html()
    pieces = []
    for card in distributed_cards({table: found.table(table) for table in TABLES}):
        for chart in card.shown({}):
            drawn = svg_of(chart, found.table(chart.table), colors, unit=unit)
            if drawn is not None:
                pieces += [line(card.title), image(drawn, f"{card.title}.", fluid=True)]
    pieces.append(_operators(found.ops, unit))
    return section("Workers: mean step", *pieces, wide=True)


def _operators(ops: pa.Table, unit: str) -> Html:
    times = choose_time_unit(ops["total_latency_us"].to_pylist(), unit)
    columns = [
        Column("Operator", "name"),
        Column("Worker", "text"),
        Column("Calls", "number"),
        Column("Size", "number"),
        Column(f"Latency, {times.label}", "number"),
        Column(f"Data transfer, {times.label}", "number"),
        Column("Bus, GB/s", "number"),
    ]
    rows = [_row(row, times) for row in ops.slice(0, _ROWS).to_pylist()]
    more = ops.num_rows - _ROWS
    rest = note(f"and {format_count(more, 'row')} more") if more > 0 else Html()
    return join([html_table(columns, rows), rest])


def _row(row: dict[str, Any], times: TimeUnit) -> list[Html]:
    size, bus = row["total_bytes"], row["bus_gbps"]
    return [
        name(row["name"]),
        name(row["worker"]),
        text(f"{row['calls']:,}"),
        text(MISSING if size is None else format_bytes(size)),
        *(
            text(MISSING if row[column] is None else format_value(row[column], times))
            for column in ("total_latency_us", "data_transfer_us")
        ),
        text(MISSING if bus is None else "<0.01" if 0 < bus < 0.005 else format_number(bus, 2)),
    ]
