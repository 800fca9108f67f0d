"""Sorting, searching and cutting tables into pages; the browser only ever sees one page."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.contract.table import term_of
from nbprof.model.filters.filter import compile_name, is_pattern, match_names

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Columns that the search of a table looks into.
SEARCHED: Final = ("name", "recorded_name", "operator", "launched_by")
#: Columns whose texts are sizes, such as ``[8, 16, 1]``, which are sorted as such.
SIZES: Final = ("grid", "block")


def search_rows(table: pa.Table, text: str) -> pa.Table:
    """Return the rows whose name or operator holds a text.

    Parameters
    ----------
    table : pyarrow.Table
        Any table.
    text : str
        Case-insensitive substring; ``/…/`` is a regular expression; empty keeps all.

    Raises
    ------
    FilterError
        The regular expression cannot be compiled.
    """
    if not text:
        return table
    if is_pattern(text):
        compile_name(text)
    keep = np.zeros(table.num_rows, bool)
    for name in SEARCHED:
        if name in table.column_names:
            keep |= _matches(table[name], text)
    return table.filter(pa.array(keep))


def _matches(column: pa.ChunkedArray, text: str) -> np.ndarray:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    found = np.array([*match_names(encoded.dictionary.to_pylist(), text), False], bool)
    codes: np.ndarray = np.asarray(encoded.indices.fill_null(-1))
    hits: np.ndarray = found[codes]
    return hits


def sort_rows(table: pa.Table, sort: tuple[str, str] | None) -> pa.Table:
    """Return the rows in order; equal ones stay as they were, nulls come last either way.

    Parameters
    ----------
    table : pyarrow.Table
        Any table.
    sort : (str, str) or None
        Column, and ``"asc"`` or ``"desc"``. Text is compared without regard to case and to a
        leading ``void``, which the screen leaves out; the grid and the block of a launch by the
        number of blocks and threads.
    """
    if sort is None or table.num_rows < 2:
        return table
    name, direction = sort
    column = table[name]
    if name in SIZES and pa.types.is_string(column.type):
        column = _sizes(column)
    elif pa.types.is_string(column.type):
        # The return type is not shown, so a person would not see why the others come first.
        column = pc.utf8_lower(pc.replace_substring_regex(column, "^void ", ""))
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    order = "descending" if direction == "desc" else "ascending"
    keyed = pa.table({"key": column})
    indices = pc.sort_indices(keyed, sort_keys=[("key", order)])
    return table.take(indices)


def _sizes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return what the numbers of ``[8, 16, 1]`` multiply to; null where it is not such a text."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    sizes = [
        math.prod(map(float, numbers)) if (numbers := re.findall(r"\d+", text)) else None
        for text in encoded.dictionary.to_pylist()
    ]
    return pa.chunked_array([pa.array(sizes, pa.float64()).take(encoded.indices)])


def maxima(table: pa.Table) -> dict[str, float]:
    """Return the largest value of every numeric column that has one; bars are scaled to it."""
    found = {}
    for field in table.schema:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            continue
        value = pc.max(table[field.name]).as_py()
        if value is not None and math.isfinite(value):
            found[field.name] = value
    return found


def sums(table: pa.Table, columns: Sequence[str]) -> dict[str, float]:
    """Return the sum of each of these columns that the table has and that holds anything."""
    found = {}
    for name in columns:
        value = pc.sum(table[name]).as_py() if name in table.column_names else None
        if value is not None:
            found[name] = value
    return found


def hidden_columns(table: pa.Table) -> list[str]:
    """Return the columns that say nothing of a trace.

    They are null in every row, as the trace does not hold their source, or they are about matrix
    units, of which nothing tells that the devices have any.
    """
    if table.num_rows == 0:
        return []
    return [
        name
        for name in table.column_names
        if table[name].null_count == table.num_rows or term_of(table, name) == ""
    ]


def matching_rows(table: pa.Table, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return the rows of a table that a selection names.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    rows : sequence of dict
        Each a dict from key columns to values; columns that the table lacks do not count.
    """
    keep = np.zeros(table.num_rows, bool)
    for row in rows:
        wanted = {name: value for name, value in row.items() if name in table.column_names}
        match = np.ones(table.num_rows, bool) if wanted else np.zeros(table.num_rows, bool)
        for name, value in wanted.items():
            match &= np.array([cell == value for cell in table[name].to_pylist()], bool)
        keep |= match
    return table.filter(pa.array(keep))
