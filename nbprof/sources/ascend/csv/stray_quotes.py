"""Repairs cells in which an unclosed quote swallowed several rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import numpy_of
from nbprof.model.building import filled

if TYPE_CHECKING:
    from collections.abc import Callable

NEWLINE: Final = re.compile(r"\r\n|\n|\r")


@dataclass
class RowDefects:
    """The number of irregular rows of each kind, and the first one.

    Attributes
    ----------
    short, long : int
        Rows with too few and too many fields, which are kept.
    quotes : int
        Quotes that turned several rows into one cell; the rows are restored.
    cut : int
        Rows cut by the end of the file, which are dropped.
    first : str
        A description of the first one.
    """

    short: int = 0
    long: int = 0
    quotes: int = 0
    cut: int = 0
    first: str = ""

    def note(self, text: str) -> None:
        """Describe the first one."""
        self.first = self.first or text

    def add(self, other: RowDefects) -> None:
        """Add the counts of later rows, except quotes, which are already counted."""
        self.short += other.short
        self.long += other.long
        self.cut += other.cut
        self.quotes = other.quotes


def split_swallowed_rows(
    table: pa.Table,
    names: list[str],
    multiline: frozenset[str],
    odd: RowDefects,
    rows: Callable[[list[list[str]]], pa.Table],
) -> pa.Table:
    """Return a table in which no cell has swallowed rows.

    Two stray quotes in the same column enclose whole rows; the text before the first and after the
    last quote is one row each. A cell is split only if both of these have as many fields as there
    are columns.

    Parameters
    ----------
    table : pyarrow.Table
        Rows as they were parsed.
    names : list of str
        Its columns.
    multiline : frozenset of str
        Columns whose cells may have several lines.
    odd : RowDefects
        Where repairs are counted.
    rows : callable
        Makes a table of rows of cells.
    """
    pieces, at = [], 0
    for row, column in _suspects(table, [name for name in names if name not in multiline]):
        cells: list[Any] = [table.column(name)[row].as_py() for name in names]
        place = names.index(column)
        lines = NEWLINE.split(cells[place])
        first = [*cells[:place], *lines[0].split(",")]
        last = [*lines[-1].split(","), *cells[place + 1 :]]
        if len(first) != len(names) or len(last) != len(names) or row < at:
            continue
        odd.quotes += 1
        odd.note(f"row {row + 1} has a quote that is not closed")
        inner = [line.split(",") for line in lines[1:-1]]
        whole = [fields for fields in inner if len(fields) == len(names)]
        odd.short += len(inner) - len(whole)
        pieces += [table.slice(at, row - at), rows([first, *whole, last])]
        at = row + 1
    return pa.concat_tables([*pieces, table.slice(at)]) if pieces else table


def _suspects(table: pa.Table, names: list[str]) -> list[tuple[int, str]]:
    """Return the rows and columns of cells with several lines, ordered by row."""
    found: list[tuple[int, str]] = []
    for name in names:
        before = 0
        for chunk in table.column(name).chunks:
            is_text = not pa.types.is_dictionary(chunk.type)
            texts = chunk if is_text else chunk.dictionary
            several = filled(pc.match_substring_regex(texts, "[\n\r]"), value=False)
            if pc.any(several).as_py():
                marks = numpy_of(several)
                if not is_text:
                    codes = numpy_of(filled(chunk.indices, -1))
                    marks = np.append(marks, False)[codes]
                found += [(before + int(row), name) for row in np.flatnonzero(marks)]
            before += len(chunk)
    return sorted(found)
