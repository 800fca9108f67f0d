"""Writes tables as text, CSV, JSON, Parquet or Arrow."""

from __future__ import annotations

import io
import json
import math
from typing import TYPE_CHECKING

import pyarrow as pa

from nbprof.export.csv import ROWS_AT_A_TIME, csv_text
from nbprof.export.table_formats import FORMATS
from nbprof.export.text.table import text_table

if TYPE_CHECKING:
    from collections.abc import Iterator


def table_bytes(
    table: pa.Table, format_: str, *, safe: bool = False, width: int | None = None
) -> bytes:
    """Return a table encoded in one of `FORMATS`; text is UTF-8.

    Parameters
    ----------
    table : pyarrow.Table
        Flat columns.
    format_ : str
        One of `FORMATS`. JSON is a list of row objects, where NaN and infinity are null; Arrow is
        an IPC file, also known as Feather.
    safe : bool
        For CSV: neutralise cells that a spreadsheet would run as a formula.
    width : int, optional
        For text: width of the terminal in characters.

    Raises
    ------
    ValueError
        The format is unknown.
    """
    if format_ == "text":
        return text_table(table, width=width).encode()
    if format_ == "csv":
        return csv_text(table, safe=safe).encode()
    if format_ == "json":
        return _json_text(table).encode()
    if format_ == "parquet":
        import pyarrow.parquet as pq

        stream = io.BytesIO()
        pq.write_table(table, stream)
        return stream.getvalue()
    if format_ == "arrow":
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        data: bytes = sink.getvalue().to_pybytes()
        return data
    message = f"{format_!r} is not a format; formats are {', '.join(FORMATS)}."
    raise ValueError(message)


def _json_text(table: pa.Table) -> str:
    """Return a table as a JSON list with one row object per line; NaN and infinity become null."""
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in _rows(table))
    return f"[\n{rows}\n]\n" if rows else "[]\n"


def _rows(table: pa.Table) -> Iterator[dict[str, object]]:
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    for batch in table.to_batches(max_chunksize=ROWS_AT_A_TIME):
        for row in batch.to_pylist():
            for name in floats:
                if row[name] is not None and not math.isfinite(row[name]):
                    row[name] = None
            yield row
