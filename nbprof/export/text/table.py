"""Tables as aligned text, with cell widths and shortening for terminals."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
#: Minimum width to which a text column is shortened.
NARROWEST = 12

#: Integer columns that are identifiers: shown without thousands separators.
_IDENTIFIERS = frozenset({"step", "span", "rank", "device", "stream"})

#: Suffixes of column names that contain the unit.
_SUFFIXES = {
    "us": "_us",
    "ns": "_ns",
    "%": "pct",
    "bytes": "bytes",
    "GB": "_gb",
    "GB/s": "_gbps",
}


def text_table(table: pa.Table, *, width: int | None = None) -> str:
    """Return a table as lines of aligned columns, numbers right-aligned.

    Parameters
    ----------
    table : pyarrow.Table
        Flat columns. A null is ``-``; floats are rounded to three decimals.
    width : int, optional
        Width of the terminal in characters. Texts are then shortened in the middle with an ellipsis
        so that lines fit; without it nothing is shortened.
    """
    heads = [_head(field) for field in table.schema]
    right = [_is_number(field.type) for field in table.schema]
    columns = [_column(table.column(name), name) for name in table.column_names]
    widths = [max(map(cells, [head, *column])) for head, column in zip(heads, columns, strict=True)]
    if width is not None:
        least = [cells(head) for head in heads]
        widths = _fit(widths, least, right, width - len(GAP) * (len(heads) - 1))
    lines = [_line(row, widths, right) for row in (heads, *zip(*columns, strict=True))]
    return "".join(line + "\n" for line in lines)


def cells(text: str) -> int:
    """Return the number of terminal columns of a text."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def number(value: float | None) -> str:
    """Return a number with thousands separators, floats with three decimals; ``-`` for None."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _head(field: pa.Field) -> str:
    unit = (field.metadata or {}).get(b"unit", b"").decode()
    has_unit = not unit or field.name.endswith(_SUFFIXES.get(unit, unit))
    return field.name if has_unit else f"{field.name} [{unit}]"


def _column(column: pa.ChunkedArray, name: str) -> list[str]:
    values = column.to_pylist()
    if name in _IDENTIFIERS:
        return ["-" if v is None else str(v) for v in values]
    if _is_number(column.type):
        return [number(v) for v in values]
    if pa.types.is_boolean(column.type):
        return ["-" if v is None else "yes" if v else "no" for v in values]
    return ["-" if v is None else printable(v) for v in values]


def _fit(widths: list[int], heads: list[int], right: list[bool], room: int) -> list[int]:
    """Shorten the widest text columns until the line fits or none can be shortened."""
    widths = list(widths)
    least = [max(head, NARROWEST) for head in heads]
    while sum(widths) > room:
        can = [i for i, w in enumerate(widths) if not right[i] and w > least[i]]
        if not can:
            break
        widest = max(can, key=lambda i: widths[i])
        others = [widths[i] for i in can if i != widest]
        target = max(least[widest], min(widths[widest] - 1, max(others, default=0)))
        widths[widest] = max(target, widths[widest] - (sum(widths) - room))
    return widths


def _line(row: Sequence[str], widths: list[int], right: list[bool]) -> str:
    padded = []
    for text, width, to_right in zip(row, widths, right, strict=True):
        shown = cut_cells(text, width)
        space = " " * (width - cells(shown))
        padded.append(space + shown if to_right else shown + space)
    return GAP.join(padded).rstrip()


def cut_cells(text: str, width: int) -> str:
    """Shorten a text in its middle to a number of terminal columns."""
    if cells(text) <= width:
        return text
    head, tail = "", ""
    for near, far in zip(text, reversed(text), strict=True):
        if cells(head + near + tail) > width - 1:
            break
        head += near
        if cells(head + far + tail) > width - 1:
            break
        tail = far + tail
    return f"{head}…{tail}"


def facts_text(facts: Sequence[tuple[str, Any]], *, indent: str = "") -> str:
    """Return labels and values as two aligned columns."""
    facts = [(printable(label), value) for label, value in facts]
    room = max((cells(label) for label, _ in facts), default=0)
    return "".join(
        f"{indent}{label}{' ' * (room - cells(label))}{GAP}{printable(str(value))}\n"
        for label, value in facts
    )
