"""Parses CSV text into rows, and repairs broken rows.

Arrow parses regular rows. It returns a row with too few or too many fields as text, which is padded
or cut as Python's `csv.DictReader` does, and put back in place. A row in which a stray quote has
swallowed the following lines is split again.
"""

from __future__ import annotations

import csv
from collections import Counter
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.csv as pa_csv

from nbprof.model.building import arrow_array
from nbprof.sources.ascend.csv.stray_quotes import NEWLINE, RowDefects, split_swallowed_rows

#: Dictionaries of text; most columns have few distinct cells.
CELLS: Final = pa.dictionary(pa.int32(), pa.utf8())

#: Bytes per parsed block, which is also the maximum length of a row.
_BLOCK: Final = 1 << 22
_LARGEST_BLOCK: Final = (1 << 31) - 1

#: Maximum number of irregular rows that are repaired one by one.
_FEW: Final = 100

#: Maximum number of stray quotes to repair: each may require parsing the rest of the file again.
_MOST_STRAYS: Final = 50


class Layout(NamedTuple):
    """The columns of a file, known before its rows are read.

    Attributes
    ----------
    names : list of str
        The columns, each name once.
    plain : frozenset of str
        Columns with mostly distinct cells.
    multiline : frozenset of str
        Columns whose cells may have several lines.
    """

    names: list[str]
    plain: frozenset[str] = frozenset()
    multiline: frozenset[str] = frozenset()


class _RejectedRow(NamedTuple):
    """A row that Arrow rejects: its number, counted from 1, its fields, and its text."""

    number: int
    width: int
    text: str


def parse_rows(data: pa.Buffer | bytes, layout: Layout) -> tuple[pa.Table, RowDefects]:
    """Return the rows of CSV text without its header.

    Parameters
    ----------
    data : Buffer or bytes
        The text, in UTF-8. Blank lines are ignored.
    layout : Layout
        The columns.

    Returns
    -------
    table : pyarrow.Table
        Text cells, null where a row has too few; dictionaries, except in plain columns.
    odd : RowDefects
        The irregular rows.

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
    """Parses lines of one file and counts irregular rows."""

    def __init__(self, layout: Layout, odd: RowDefects) -> None:
        self._layout = layout
        self.odd = odd

    def table(self, data: pa.Buffer | bytes, *, ends: bool) -> pa.Table:
        """Return the rows of some lines; `ends` means that the last line is complete."""
        good, bad = self._regular(data, self._layout.names)
        width, count = Counter(one.width for one in bad).most_common(1)[0] if bad else (0, 0)
        if count > max(good.num_rows, _FEW):  # all rows may have one field more than the header
            good, bad = self._with_width(data, width)
        pieces: list[pa.Table] = []
        fields: list[list[str]] = []
        at = 0
        for index, one in enumerate(bad):
            until = one.number - 1 - index  # row numbers include the rejected rows
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
        """Return rows of any lengths as a table."""
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

    def _regular(
        self, data: pa.Buffer | bytes, names: list[str]
    ) -> tuple[pa.Table, list[_RejectedRow]]:
        """Return the rows with the right number of fields, and the others."""
        if not len(data):
            return self.rows([]), []
        block = _BLOCK
        while True:
            bad: list[_RejectedRow] = []
            try:
                return self._read(data, names, block, bad), bad
            except pa.ArrowInvalid:
                # A row longer than a block; Arrow's message differs by version.
                if block >= min(len(data), _LARGEST_BLOCK):
                    raise
                block = min(block * 16, _LARGEST_BLOCK)

    def _read(
        self, data: pa.Buffer | bytes, names: list[str], block: int, bad: list[_RejectedRow]
    ) -> pa.Table:
        def keep(row: Any) -> str:
            bad.append(_RejectedRow(row.number, row.actual_columns, row.text))
            return "skip"

        return pa_csv.read_csv(
            pa.BufferReader(data),
            # One thread, as otherwise rows have no numbers; two are hardly faster.
            read_options=pa_csv.ReadOptions(
                column_names=names, use_threads=False, block_size=block
            ),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=keep),
            convert_options=pa_csv.ConvertOptions(
                column_types={name: self._type(name) for name in names}, strings_can_be_null=False
            ),
        )

    def _with_width(
        self, data: pa.Buffer | bytes, width: int
    ) -> tuple[pa.Table, list[_RejectedRow]]:
        """Read rows that mostly have a different number of fields than the header."""
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
        # Here, rows as long as the header count as bad.
        return pa.table(columns, names=names), bad

    def _swallowed(self, one: _RejectedRow, *, cut: bool) -> pa.Table | None:
        """Return the lines after the first line of a row as rows, if they are valid rows."""
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

    def _counted(self, one: _RejectedRow, *, cut: bool) -> list[list[str]]:
        """Count a row and return its fields; None if the end of the file cuts it."""
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
