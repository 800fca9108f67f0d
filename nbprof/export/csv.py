"""Writes tables as CSV (RFC 4180): comma, CRLF, UTF-8, numbers in full precision."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

#: Number of rows converted to Python objects at a time.
ROWS_AT_A_TIME = 8192

#: First characters that make a spreadsheet read a cell as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: pa.Table, *, safe: bool = False) -> str:
    """Return a table as CSV text.

    Parameters
    ----------
    table : pyarrow.Table
        Flat columns. Null and NaN become empty cells, bools ``true`` and ``false``.
    safe : bool
        Prefix text cells with an apostrophe if a spreadsheet would run them as a formula. Numbers
        are unchanged.
    """
    stream = io.StringIO(newline="")
    _write_csv(table, stream, safe=safe)
    return stream.getvalue()


def _write_csv(table: pa.Table, stream: TextIO, *, safe: bool = False) -> None:
    """Write a table as CSV, a few thousand rows at a time.

    Parameters
    ----------
    table, safe
        As in `csv_text`.
    stream : text stream
        Opened with ``newline=""``, because lines end with CRLF already.
    """
    writer = csv.writer(stream)
    writer.writerow(_texts(table.column_names, safe=safe))
    for batch in table.to_batches(max_chunksize=ROWS_AT_A_TIME):
        columns = (_cells(column, safe=safe) for column in batch.columns)
        writer.writerows(zip(*columns, strict=True))


def _cells(column: pa.Array, *, safe: bool) -> Iterator[Any]:
    values = column.to_pylist()
    if pa.types.is_floating(column.type):
        return ("" if v is None or math.isnan(v) else v for v in values)
    if pa.types.is_boolean(column.type):
        return ("" if v is None else str(v).lower() for v in values)
    if pa.types.is_integer(column.type):
        return iter(values)
    return iter(_texts(values, safe=safe))


def _texts(values: list[str | None], *, safe: bool) -> list[str | None]:
    # Readers stop at a NUL, and csv of Python 3.10 refuses to write it.
    values = [v and v.replace("\0", "\N{REPLACEMENT CHARACTER}") for v in values]
    if not safe:
        return values
    return ["'" + v if v is not None and v.startswith(FORMULA_STARTS) else v for v in values]
