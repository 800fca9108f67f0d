"""Writes PyProf's report as text: fitted to a width, separated by blanks, or as CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.analysis.pyprof.report import COLUMNS, UNKNOWN
from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Columns shown unless others are chosen.
DEFAULT: Final = ("idx", "dir", "sub", "mod", "op", "kernel", "params", "sil")


@dataclass(frozen=True)
class _Head:
    """Heading and least width of a column; the widths of kernel and params grow."""

    heading: str
    width: int


_HEADS: Final = {
    "idx": _Head("Idx", 7),
    "seq": _Head("SeqId", 7),
    "altseq": _Head("AltSeqId", 7),
    "tid": _Head("TId", 12),
    "layer": _Head("Layer", 10),
    "trace": _Head("Trace", 25),
    "dir": _Head("Direction", 5),
    "sub": _Head("Sub", 3),
    "mod": _Head("Module", 15),
    "op": _Head("Op", 15),
    "kernel": _Head("Kernel", 0),
    "params": _Head("Params", 0),
    "sil": _Head("Sil(ns)", 10),
    "tc": _Head("TC", 2),
    "device": _Head("Device", 3),
    "stream": _Head("Stream", 3),
    "grid": _Head("Grid", 12),
    "block": _Head("Block", 12),
    "flops": _Head("FLOPs", 12),
    "bytes": _Head("Bytes", 12),
    "status": _Head("Status", 20),
}
_GROWING: Final = ("kernel", "params")
#: Columns of numbers, which stand at the right.
_NUMBERS: Final = frozenset(c.name for c in COLUMNS if pa.types.is_integer(c.type))


def checked_columns(text: str) -> tuple[str, ...]:
    """Return the columns that a list with commas names, in its order.

    Raises
    ------
    UnknownNameError
        There is no such column.

    Examples
    --------
    >>> checked_columns("idx,op,sil")
    ('idx', 'op', 'sil')
    """
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in _HEADS:
            hint = did_you_mean(name, _HEADS)
            message = f"There is no column {name!r}; there are {', '.join(_HEADS)}.{hint}"
            raise UnknownNameError(message)
    return names


def plain_lines(report: pa.Table, columns: Sequence[str]) -> Iterator[str]:
    """Yield a heading and the rows, their fields separated by blanks, as for ``awk``."""
    yield " ".join(_HEADS[name].heading for name in columns)
    for row in _cells(report, columns):
        yield " ".join(cell.replace(" ", "") or "-" for cell in row)


def csv_lines(report: pa.Table, columns: Sequence[str]) -> Iterator[str]:
    """Yield a heading and the rows as CSV with every field quoted."""
    yield ",".join(f'"{_HEADS[name].heading}"' for name in columns)
    for row in _cells(report, columns):
        yield ",".join('"' + cell.replace('"', '""') + '"' for cell in row)


def fitted_lines(report: pa.Table, columns: Sequence[str], width: int) -> Iterator[str]:
    """Yield a heading and the rows, no line longer than a width.

    Raises
    ------
    UnknownNameError
        The columns need more than the width.
    """
    widths = _widths(columns, width)
    yield _line([_HEADS[name].heading for name in columns], columns, widths)
    for row in _cells(report, columns):
        short = [
            _innermost(cell) if name == "trace" else cell
            for name, cell in zip(columns, row, strict=True)
        ]
        yield _line(short, columns, widths)


def _widths(columns: Sequence[str], width: int) -> list[int]:
    least = [_HEADS[name].width for name in columns]
    growing = [at for at, name in enumerate(columns) if name in _GROWING]
    left = width - sum(least) - len(columns) + 1
    if left < len(growing):
        need = width - left + len(growing)
        message = (
            f"The columns {', '.join(columns)} need a width of {need}, not {width}:"
            " choose fewer with -c, or a larger one with -w."
        )
        raise UnknownNameError(message)
    for place, at in enumerate(growing):
        least[at] += left // len(growing) + (place < left % len(growing))
    return least


def _line(cells: Sequence[str], columns: Sequence[str], widths: Sequence[int]) -> str:
    fields = [
        cell.rjust(width) if name in _NUMBERS else cell[:width].ljust(width)
        for cell, name, width in zip(cells, columns, widths, strict=True)
    ]
    return " ".join(fields).rstrip()


def _innermost(trace: str) -> str:
    """Return the innermost frame of a trace, without its folders."""
    return trace.rpartition(",")[2].rpartition("/")[2]


def _cells(report: pa.Table, columns: Sequence[str]) -> Iterator[list[str]]:
    values: list[list[Any]] = [report[name].to_pylist() for name in columns]
    for row in zip(*values, strict=True):
        yield [UNKNOWN if value is None else str(value) for value in row]
