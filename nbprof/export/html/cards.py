"""Cards of the overview in the HTML summary: their charts and first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.cards.card_charts import svg_of
from nbprof.charts.svg.icons import swatch
from nbprof.export.html.elements import (
    Column,
    Html,
    beside,
    image,
    join,
    line,
    name,
    note,
    section,
    text,
)
from nbprof.export.html.elements import table as html_table
from nbprof.model.names.kernel_labels import label_by
from nbprof.model.names.short_names import short_name
from nbprof.model.units import (
    MISSING,
    choose_time_unit,
    format_count,
    format_number,
    format_pct,
    format_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nbprof.charts.cards.cards import Card, CardChart
    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary
    from nbprof.model.units import TimeUnit

_ROWS: Final = 12
#: Stems of columns that are shares by their names: model and hardware FLOPs utilization.
_UTILIZATIONS: Final = ("mfu", "hfu")


def cards(summary: Summary, colors: Palette, unit: str) -> Html:
    """Return the overview's cards, without lists of places in the timeline, which is not here."""
    shown = [card for card in summary.cards if card.picks != "range"]
    return join(card_html(card, summary, colors, unit) for card in shown)


def card_html(card: Card, summary: Summary, colors: Palette, unit: str) -> Html:
    """Return a card: its charts for the first choice of its first switch, and its first rows."""
    donuts: list[Html] = []
    bars: list[Html] = []
    for words, charts in _charts_by_side(card):
        for chart in charts:
            whole = summary.around(chart.table, chart.picks, chart.group_by)
            table = summary.table(chart.table, chart.group_by)
            label = label_by(summary.trace.model, short_name)
            drawn = svg_of(chart, table, colors, unit=unit, whole=whole, label=label)
            if drawn is None:
                continue
            what = chart.title or f"{card.title}{words}"
            picture = image(drawn, f"{what}.", fluid=chart.kind != "donut")
            if chart.kind != "donut":
                over = chart.title or words.lstrip(", ").capitalize()
                bars.append(join([line(over) if over else "", picture]))
            else:
                donuts.append(join([line(what), picture]))
    pieces = [*bars, beside(*donuts) if donuts else ""]
    if card.table:
        fills = _swatches(card, colors)
        rows = summary.table(card.table, card.choice({}).get("group_by", ""))
        if card.columns:
            rows = rows.select([key for key in card.columns if key in rows.column_names])
        pieces.append(_rows(rows, unit, fills, min(_ROWS, card.most)))
    title = f"{card.title}: {card.note}" if card.note else card.title
    return section(title, *pieces, wide=bool(card.table)) if any(pieces) else Html()


def table_html(title: str, table: pa.Table, unit: str) -> Html:
    """Return the first rows of a table under a title; nothing if it has no rows."""
    if not table.num_rows:
        return Html()
    return section(title, _rows(table, unit, {}, _ROWS), wide=True)


def _charts_by_side(card: Card) -> Iterable[tuple[str, tuple[CardChart, ...]]]:
    """Return the charts of each side, for the first choice of how to show them."""
    if not card.switches:
        return [("", card.shown({}))]
    first = card.switches[0]
    return [(f", {label.lower()}", card.shown({first.key: key})) for key, label in first.options]


def _rows(table: pa.Table, unit: str, fills: Mapping[str, Html], most: int) -> Html:
    """Return the first rows of a table, without empty columns.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    fills : mapping of str to Html
        Swatches by the value of the first column; if empty, there is no swatch column.
    most : int
        Maximum number of rows.
    """
    shown = [c for c in table.column_names if table[c].null_count < table.num_rows]
    table = table.select(shown)
    timed = [c for c in shown if c.endswith("_us")]
    times = {
        side: choose_time_unit(
            [value for c in timed if _unit_group(c) == side for value in table[c].to_pylist()], unit
        )
        for side in {_unit_group(c) for c in timed}
    }
    first = shown[0]
    columns = [Column("", "swatch")] if fills else []
    columns += [_head(table.schema.field(c), times, c == first) for c in shown]
    lines = []
    for row in table.slice(0, most).to_pylist():
        cells = [_cell(c, row[c], times) for c in shown]
        lines.append(([fills.get(row[first], Html())] if fills else []) + cells)
    more = table.num_rows - most
    rest = note(f"and {format_count(more, 'row')} more") if more > 0 else Html()
    return join([html_table(columns, lines), rest])


def _unit_group(column: str) -> str:
    """Return which columns share a unit: those of the host, those of the device, and all others."""
    side = column.partition("_")[0]
    return side if side in ("host", "device") else ""


def _swatches(card: Card, colors: Palette) -> dict[str, Html]:
    """Return the swatches of rows that are slices of a donut."""
    return {
        key: image(swatch(token, colors), "")
        for chart in card.shown({})
        if chart.kind == "donut"
        for key, _, token in chart.series
    }


def _head(field: pa.Field, times: dict[str, TimeUnit], is_first: bool) -> Column:
    stem, _, suffix = field.name.rpartition("_")
    words = (stem if suffix in ("us", "pct") else field.name).replace("_", " ")
    if words in _UTILIZATIONS:
        words = words.upper()
    elif suffix == "pct":
        words += " share"
    words = words.replace("flops", "FLOPs")
    words = words[:1].upper() + words[1:]
    unit = (
        times[_unit_group(field.name)].label if suffix == "us" else "%" if suffix == "pct" else ""
    )
    meaning = (field.metadata or {}).get(b"meaning", b"").decode()
    kind = "text" if is_first else "number"
    return Column(f"{words}, {unit}" if unit else words, kind, meaning)


def _cell(column: str, value: Any, times: dict[str, TimeUnit]) -> Html:
    if value is None:
        return text(MISSING)
    if column.endswith("_us"):
        return text(format_value(value, times[_unit_group(column)]))
    if column.endswith("_pct"):
        return text(format_pct(value))
    return text(format_number(value)) if isinstance(value, (int, float)) else name(str(value))


def cores(summary: Summary) -> Html:
    """Return the kernel time by NPU core; nothing for other devices."""
    table = summary.table("accelerator_cores")
    if not table.num_rows:
        return Html()
    ranked = table.take(pc.sort_indices(table, sort_keys=[("total_us", "descending")]))
    parts = [
        f"{row['accelerator_core'] or 'unknown'} {format_pct(row['pct'])} %"
        for row in ranked.to_pylist()
    ]
    return note(f"By accelerator core: {', '.join(parts)}")
