"""Formats tables as small HTML reprs with escaped text, and lists of names for messages."""

from __future__ import annotations

from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

#: Maximum number of rows in a repr; the rest are counted.
REPR_ROWS = 20


def html_table(table: pa.Table, caption: str, columns: Sequence[str] | None = None) -> str:
    """Return the head of a table as HTML with inline styles only.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    caption : str
        Line above the table.
    columns : sequence of str, optional
        Only these columns.
    """
    names = list(columns or table.column_names)
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in names)
    rows = "".join(
        "<tr>" + "".join(_cell(row[name]) for name in names) + "</tr>"
        for row in table.slice(0, REPR_ROWS).to_pylist()
    )
    more = table.num_rows - REPR_ROWS
    note = f"<div>and {more:,} more</div>" if more > 0 else ""
    return (
        f"<div><div>{escape(caption)}</div>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}</div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td>&ndash;</td>"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f'<td style="text-align:left">{escape(str(value))}</td>'
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
    return f'<td style="text-align:right">{text}</td>'


def some_names(names: Iterable[object], limit: int = 12) -> str:
    """Join names for a message: the first ones, and the number of the others."""
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:limit])
    return shown + (f" and {len(listed) - limit} more" if len(listed) > limit else "")


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a sentence that suggests the known name closest to a mistyped one, or ""."""
    matches = get_close_matches(str(word), list(known), 1)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def and_list(items: Sequence[object], most: int = 0) -> str:
    """Join items as in a sentence: "0", "0 and 1", "0, 1 and 2".

    Parameters
    ----------
    items : sequence
        At least one.
    most : int, optional
        Of more items, so many are listed, and the number of the others: "0, 1 and 98 more".
        By default all are listed.
    """
    if most and len(items) > most + 1:
        items = [*items[:most], f"{len(items) - most:,} more"]
    *head, last = map(str, items)
    return f"{', '.join(head)} and {last}" if head else last
