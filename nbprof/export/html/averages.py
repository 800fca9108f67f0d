"""`key_averages` as an HTML table: in notebooks, and its first rows in the HTML summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.analysis.operators.key_averages.key_averages import sorted_rows
from nbprof.export.html import elements as html
from nbprof.model.building import arrow_array
from nbprof.model.names.private_frames import private_text
from nbprof.model.units import (
    choose_time_unit,
    format_bytes,
    format_count,
    format_number,
    format_pct,
    format_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_tables import Summary

_SIDES: Final = ("host", "device")

#: Maximum number of rows.
ROWS: Final = 100

#: Rows and columns in a summary.
_TOP: Final = 5
_OF_SUMMARY: Final = [
    "name",
    *(f"{side}_{key}" for side in _SIDES for key in ("self_us", "self_pct", "total_us")),
    "calls",
]

#: Columns that are shown only if a row has another value than these.
_PLAIN: Final = {"device_type": "cpu", "user_annotation": False, "asynchronous": False}


def averages(summary: Summary, colors: Palette, unit: str) -> html.Html:  # noqa: ARG001 - the signature of all sections
    """Return the section of a summary: the first rows; empty without operators."""
    found = summary.table("key_averages")
    if not found.num_rows:
        return html.Html()
    title = f"As PyTorch prints it: {format_count(found.num_rows, 'row')}"
    top = sorted_rows(found, "host_self_us").slice(0, _TOP).select(_OF_SUMMARY)
    # Python functions are rows, too, and their names begin with a path.
    names = arrow_array([private_text(name) for name in top["name"].to_pylist()], pa.utf8())
    shown = html.Html(averages_html(top.set_column(0, top.schema.field(0), names)))
    more = found.num_rows - top.num_rows
    rest = html.note(f"and {format_count(more, 'row')} more") if more > 0 else html.Html()
    return html.section(title, shown, rest, wide=True)


def averages_html(table: pa.Table) -> str:
    """Return the rows with the most self time as HTML, with all columns that have a value.

    Parameters
    ----------
    table : pyarrow.Table
        The table `key_averages`.
    """
    top = sorted_rows(table, "host_self_us").slice(0, ROWS)
    names = [name for name in table.column_names if _is_shown(table[name], name)]
    columns = [html.Column(*_head(table.schema.field(name))) for name in names]
    cells = [
        map(_formatter(top.schema.field(name), top[name]), top[name].to_pylist()) for name in names
    ]
    shown = html.table(columns, zip(*cells, strict=True))
    left = table.num_rows - top.num_rows
    rest = [html.note(f"{left:,} more rows with less self time on the host.")] if left > 0 else []
    return str(html.join([shown, *rest]))


def _is_shown(column: pa.ChunkedArray, name: str) -> bool:
    if column.null_count == len(column):
        return name == "name"
    if name not in _PLAIN:
        return True
    values = set(column.to_pylist())
    return values != {_PLAIN[name]}


def _head(field: pa.Field) -> tuple[str, str, str]:
    """Return title, kind and meaning of a column."""
    meaning = (field.metadata or {}).get(b"meaning", b"").decode()
    title = field.name
    for suffix in ("_us", "_bytes"):
        title = title.removesuffix(suffix)
    if field.name == "name":
        return "name", "name", meaning
    is_text = pa.types.is_string(field.type) or pa.types.is_boolean(field.type)
    return title.replace("_pct", " %").replace("_", " "), "text" if is_text else "number", meaning


def _formatter(field: pa.Field, column: pa.ChunkedArray) -> Callable[[Any], Any]:
    unit = (field.metadata or {}).get(b"unit", b"").decode()
    if unit == "us":
        scale = choose_time_unit(column)
        return lambda value: format_time(value, scale)
    if unit == "bytes":
        return format_bytes
    if unit == "%":
        return format_pct
    if field.name == "name":
        return html.name
    if pa.types.is_boolean(field.type):
        return lambda value: "yes" if value else ""
    return html.text if pa.types.is_string(field.type) else format_number
