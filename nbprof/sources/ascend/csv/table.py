"""Reads a CSV file as a table of text, with columns by name for all versions of the header."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.errors import TraceFormatError
from nbprof.sources.ascend.csv.rows import Layout, parse_rows
from nbprof.sources.files.whole_file import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.ascend.csv.stray_quotes import RowDefects
    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.opening import AnyPath

#: More columns than any file has: each row costs time and memory for every one of them.
MOST_COLUMNS: Final = 10_000

_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

#: Cells of these columns may have several lines.
_MULTILINE: Final = frozenset({"Input Shapes", "Call Stack"})

#: Columns with mostly distinct cells.
_PLAIN: Final = frozenset(
    {
        "Start Time(us)",
        "Timestamp(us)",
        "Allocation Time(us)",
        "Release Time(us)",
        "Host Total Duration(us)",
    }
)


class CsvTable:
    """The rows of a file.

    Attributes
    ----------
    name : str
        The file, for messages.
    names : list of str
        The columns, in the order of the file; a repeated name counts once.
    rows : int
        Number of rows.
    """

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self.names: list[str] = table.column_names
        self.rows: int = table.num_rows
        self._table = table

    def cells(self, *names: str) -> pa.ChunkedArray:
        """Return the text of the first existing column of several names; nulls if there is none."""
        for name in names:
            if name in self.names:
                return self._table.column(name)
        return pa.chunked_array([pa.nulls(self.rows, pa.utf8())])

    def need(self, *names: str) -> None:
        """Raise an error if columns are missing.

        Raises
        ------
        TraceFormatError
            A column is missing.
        """
        missing = [name for name in names if name not in self.names]
        if missing:
            message = f"it has no column {', '.join(map(repr, missing))}"
            raise TraceFormatError(message)


def read_csv(path: AnyPath, defects: DefectLog, report: Callable[[int], None]) -> CsvTable:
    """Read a CSV file; irregular rows are counted.

    Parameters
    ----------
    path : path
        The file.
    defects : DefectLog
        Where irregular rows are counted.
    report : callable
        Receives the number of bytes read so far.

    Raises
    ------
    OSError
        It cannot be read.
    TraceFormatError
        It is not a table, or, if strict, has irregular rows.
    """
    data = _text(read_bytes(path, report), path.name, defects)
    start, header = _header(data)
    layout = Layout(header, _PLAIN, _MULTILINE)
    try:
        table, odd = parse_rows(pa.py_buffer(data).slice(start), layout)
    except pa.ArrowException as error:
        message = f"it is not a table ({error})"
        raise TraceFormatError(message) from error
    _count(odd, path.name, defects)
    return CsvTable(path.name, table.select([name for name in header if not name.startswith("\0")]))


def _text(data: bytes | bytearray, name: str, defects: DefectLog) -> bytes | bytearray:
    """Return text in UTF-8 without a byte order mark."""
    encoding = _WIDE_BOMS.get(bytes(data[:2]))
    if encoding:
        return data.decode(encoding, "replace").removeprefix("\ufeff").encode()
    data = data.removeprefix(_BOM)
    if not data.isascii():
        try:
            arrow_array([memoryview(data)], pa.large_binary()).cast(pa.large_utf8())
        except pa.ArrowInvalid:
            text = data.decode("utf-8", "replace")
            defects.note("not UTF-8", text.count("\ufffd"), f"{name}: bytes that are not text")
            data = text.encode()
    return data


def _header(data: bytes | bytearray) -> tuple[int, list[str]]:
    """Return the offset of the first row, and the names of the columns."""
    start = 0
    line: bytes | bytearray = b""
    while start < len(data) and not line.strip():
        ends = [end for mark in (b"\n", b"\r") if (end := data.find(mark, start)) >= 0]
        end = min(ends, default=len(data))
        line, start = data[start:end], min(end + 1, len(data))
    try:
        header = [name.strip() for name in next(csv.reader([line.decode()]), [])]
    except csv.Error as error:
        message = f"its first line is no header of a table ({error})"
        raise TraceFormatError(message) from error
    if len(header) > MOST_COLUMNS:
        message = f"it has {len(header):,} columns"
        raise TraceFormatError(message)
    if not any(header):
        message = "it is empty"
        raise TraceFormatError(message)
    # Columns without a name, or with a repeated name, need a unique one.
    seen: set[str] = {""}
    names = []
    for at, name in enumerate(header):
        names.append(f"\0{at}" if name in seen else name)
        seen.add(name)
    return start, names


def _count(odd: RowDefects, name: str, defects: DefectLog) -> None:
    first = f"{name}: {odd.first}"
    defects.note("rows of the wrong length", odd.short + odd.long, first)
    defects.note("open quotes", odd.quotes, first)
    defects.note("cut off", odd.cut, first)
