"""Parses CSV text into rows, and repairs broken rows.

Arrow reads what is regular. A row with too few or too many fields comes out of it as text, and is
put back where it was: padded, or without what is too much, as Python's `csv.DictReader` does. One
that a stray quote has swallowed the following lines of is taken apart again.
"""

from __future__ import annotations

import csv
from collections import Counter
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.csv as pa_csv

from nbprof.model.building import arrow_array
from nbprof.sources.ascend.csv.stray_quotes import NEWLINE, RowDefects, split_swallowed_rows

#: Cells as they are; most columns have few different ones.
CELLS: Final = pa.dictionary(pa.int32(), pa.utf8())

#: Bytes that are parsed in one go, and what a row may have at most.
_BLOCK: Final = 1 << 22
_LARGEST_BLOCK: Final = (1 << 31) - 1

#: So many odd rows are put right one by one.
_FEW: Final = 100

#: So many stray quotes are looked into: each may mean to parse the rest of the file again.
_MOST_STRAYS: Final = 50


class Layout(NamedTuple):
    """What is known of a file before its rows are read.

    Attributes
    ----------
    names : list of str
        The columns, each name once.
    plain : frozenset of str
        Columns whose cells nearly all differ.
    multiline : frozenset of str
        Columns whose cells may have several lines.
    """

    names: list[str]
    plain: frozenset[str] = frozenset()
    multiline: frozenset[str] = frozenset()


class _Bad(NamedTuple):
    """A row that Arrow does not take: its number from 1 on, its fields, and its text."""

    number: int
    width: int
    text: str


def parse_rows(data: pa.Buffer | bytes, layout: Layout) -> tuple[pa.Table, RowDefects]:
    """Return the rows of CSV text without its header.

    Parameters
    ----------
    data : Buffer or bytes
        The text, in UTF-8. Blank lines are no rows.
    layout : Layout
        What the columns are.

    Returns
    -------
    table : pyarrow.Table
        Text cells, null where a row has too few of them; dictionaries but for the plain ones.
    odd : RowDefects
        What was wrong.

    Raises
    ------
    pyarrow.ArrowInvalid
        Arrow finds no rows in it.
    """
    parse = _Parse(layout, RowDefects())
    ends = not len(data) or bytes(data[-1:]) in {b"\n", b"\r"}
    table = parse.table(data, ends=ends)
    return split_swallowed_rows(
        table, layout.names, layout.multiline, parse.odd, parse.rows
    ), parse.odd


class _Parse:
    """Parses lines of one file and counts what is wrong in them."""

    def __init__(self, layout: Layout, odd: RowDefects) -> None:
        self._layout = layout
        self.odd = odd

    def table(self, data: pa.Buffer | bytes, *, ends: bool) -> pa.Table:
        """Return the rows of some lines; `ends` says that the last line is finished."""
        good, bad = self._regular(data, self._layout.names)
        width, count = Counter(one.width for one in bad).most_common(1)[0] if bad else (0, 0)
        if count > max(good.num_rows, _FEW):  # all rows may have one field more than the header
            good, bad = self._with_width(data, width)
        pieces: list[pa.Table] = []
        fields: list[list[str]] = []
        at = 0
        for index, one in enumerate(bad):
            until = one.number - 1 - index  # numbers count the bad rows too
            if until > at:
                pieces += [self.rows(fields), good.slice(at, until - at)]
                fields, at = [], until
            cut = not ends and index == len(bad) - 1 and at == good.num_rows
            inside = self._swallowed(one, cut=cut)
            if inside is not None:
                first = next(csv.reader([NEWLINE.split(one.text, maxsplit=1)[0]]))
                pieces += [self.rows([*fields, first]), inside]
                fields = []
            else:
                fields += self._counted(one, cut=cut)
        pieces += [self.rows(fields), good.slice(at)]
        filled = [piece for piece in pieces if piece.num_rows]
        return pa.concat_tables(filled) if filled else good.slice(0, 0)

    def rows(self, fields: list[list[str]]) -> pa.Table:
        """Return rows of whatever lengths as a table."""
        names = self._layout.names
        missing: list[str | None] = [None] * len(names)
        padded = [[*row, *missing[len(row) :]] for row in fields]
        columns = [arrow_array([row[at] for row in padded], pa.utf8()) for at in range(len(names))]
        encoded = [
            column if name in self._layout.plain else column.dictionary_encode()
            for name, column in zip(names, columns, strict=True)
        ]
        return pa.table(encoded, names=names)

    def _type(self, name: str) -> pa.DataType:
        return pa.utf8() if name in self._layout.plain else CELLS

    def _regular(self, data: pa.Buffer | bytes, names: list[str]) -> tuple[pa.Table, list[_Bad]]:
        """Return the rows with as many fields as there are names, and the others."""
        if not len(data):
            return self.rows([]), []
        block = _BLOCK
        while True:
            bad: list[_Bad] = []
            try:
                return self._read(data, names, block, bad), bad
            except pa.ArrowInvalid:
                # A row that is longer than a block; what Arrow says of it differs by version.
                if block >= min(len(data), _LARGEST_BLOCK):
                    raise
                block = min(block * 16, _LARGEST_BLOCK)

    def _read(
        self, data: pa.Buffer | bytes, names: list[str], block: int, bad: list[_Bad]
    ) -> pa.Table:
        def keep(row: Any) -> str:
            bad.append(_Bad(row.number, row.actual_columns, row.text))
            return "skip"

        return pa_csv.read_csv(
            pa.BufferReader(data),
            # One thread: only then rows have numbers, and two are hardly faster.
            read_options=pa_csv.ReadOptions(
                column_names=names, use_threads=False, block_size=block
            ),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=keep),
            convert_options=pa_csv.ConvertOptions(
                column_types={name: self._type(name) for name in names}, strings_can_be_null=False
            ),
        )

    def _with_width(self, data: pa.Buffer | bytes, width: int) -> tuple[pa.Table, list[_Bad]]:
        """Read rows that nearly all have another number of fields than the header."""
        names = self._layout.names
        more = [f"\0{at}" for at in range(len(names), width)]
        found, bad = self._regular(data, [*names, *more][:width])
        missing = [pa.nulls(found.num_rows, self._type(name)) for name in names[width:]]
        columns = [*found.columns[: len(names)], *missing]
        if width < len(names):
            self.odd.short += found.num_rows
        else:
            self.odd.long += found.num_rows
        self.odd.note(f"{found.num_rows} rows have {width} fields, not {len(names)}")
        # Those that are as long as the header are bad ones here.
        return pa.table(columns, names=names), bad

    def _swallowed(self, one: _Bad, *, cut: bool) -> pa.Table | None:
        """Return the rows after the first line of a row, if they are rows by themselves."""
        lines = NEWLINE.split(one.text, maxsplit=1)
        if len(lines) < 2 or lines[0].count('"') % 2 == 0 or self.odd.quotes >= _MOST_STRAYS:
            return None
        if self._layout.multiline and one.text.count('"') % 2 == 0:
            return None  # a short row with lines in a cell
        inside = _Parse(self._layout, RowDefects(quotes=self.odd.quotes + 1))
        table = inside.table(lines[1].encode(), ends=not cut)
        if table.num_rows <= inside.odd.short:
            return None
        self.odd.add(inside.odd)
        self.odd.note(f"row {one.number} has a quote that is not closed")
        return table

    def _counted(self, one: _Bad, *, cut: bool) -> list[list[str]]:
        """Count a row and return its fields, nothing of one that the end of the file cuts."""
        fields = next(csv.reader(one.text.splitlines(keepends=True)), [])
        wanted = len(self._layout.names)
        if len(fields) == wanted:
            return [fields]
        if len(fields) > wanted:
            self.odd.long += 1
        elif cut:
            self.odd.cut += 1
            self.odd.note(f"the file ends in the midst of row {one.number}")
            return []
        else:
            self.odd.short += 1
        self.odd.note(f"row {one.number} has {len(fields)} fields, not {wanted}")
        return [fields[:wanted]]
