"""Sorts, searches and pages tables for the browser, which only receives single pages."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import encoded, joined
from nbprof.model.building import arrow_array, filled, table_of
from nbprof.model.contract.table import term_of
from nbprof.model.filters.patterns import check_pattern, match_names
from nbprof.widgets.requests.conditions import parse_conditions, rows_that_meet

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Columns searched.
SEARCHED: Final = (
    "name",
    "recorded_name",
    "operator",
    "launched_by",
    "module",
    "annotation",
    "forward_operator",
)
#: Columns with sizes such as ``[8, 16, 1]``, which are sorted by their product.
SIZES: Final = ("grid", "block")


def search_rows(table: pa.Table, text: str) -> pa.Table:
    """Return the rows whose name or operator contains a text, or that meet conditions.

    Parameters
    ----------
    table : pyarrow.Table
        Any table.
    text : str
        Case-insensitive substring; ``/…/`` is a regular expression; conditions on columns are
        written as in ``queue > 100 & stream = 7``; empty keeps all.

    Raises
    ------
    FilterError
        The regular expression cannot be compiled, or a condition does not fit its column.
    """
    if not text:
        return table
    conditions = parse_conditions(text, table)
    if conditions:
        met = [rows_that_meet(table, condition) for condition in conditions]
        return table.filter(arrow_array(np.logical_and.reduce(met)))
    check_pattern(text)
    keep = np.zeros(table.num_rows, bool)
    for name in SEARCHED:
        if name in table.column_names:
            keep |= _matches(table[name], text)
    return table.filter(arrow_array(keep))


def _matches(column: pa.ChunkedArray, text: str) -> np.ndarray:
    coded = encoded(column)
    is_match = np.append(match_names(coded.dictionary.to_pylist(), text), False)
    codes: np.ndarray = joined(filled(coded.indices, -1))
    hits: np.ndarray = is_match[codes]
    return hits


def sort_rows(table: pa.Table, sort: tuple[str, str] | None) -> pa.Table:
    """Return the sorted rows; the sort is stable, nulls come last in both directions.

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
        # The return type is not shown, so sorting by it would be confusing.
        column = pc.utf8_lower(pc.replace_substring_regex(column, "^void ", ""))
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    order = "descending" if direction == "desc" else "ascending"
    keyed = table_of({"key": column})
    indices = pc.sort_indices(keyed, sort_keys=[("key", order)])
    return table.take(indices)


def _sizes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the product of the numbers in ``[8, 16, 1]``; null for other texts."""
    coded = encoded(column)
    sizes = [
        math.prod(map(float, numbers)) if (numbers := re.findall(r"\d+", text)) else None
        for text in coded.dictionary.to_pylist()
    ]
    return pa.chunked_array([arrow_array(sizes, pa.float64()).take(coded.indices)])


def maxima(table: pa.Table) -> dict[str, float]:
    """Return the maximum of each numeric column that has one, to scale bars."""
    found = {}
    for field in table.schema:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            continue
        value = pc.max(table[field.name]).as_py()
        if value is not None and math.isfinite(value):
            found[field.name] = value
    return found


def sums(table: pa.Table, columns: Sequence[str]) -> dict[str, float]:
    """Return the sum of each of these columns that the table has, and that has a finite one."""
    found = {}
    for name in columns:
        value = pc.sum(table[name]).as_py() if name in table.column_names else None
        if value is not None and math.isfinite(value):
            found[name] = value
    return found


def hidden_columns(table: pa.Table) -> list[str]:
    """Return the columns that contain no information about a trace.

    They are null in every row because their source was not recorded, or they refer to matrix units
    that no device is known to have.
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
        Dicts from key columns to values; columns that the table lacks are ignored.
    """
    keep = np.zeros(table.num_rows, bool)
    for row in rows:
        wanted = {name: value for name, value in row.items() if name in table.column_names}
        match = np.ones(table.num_rows, bool) if wanted else np.zeros(table.num_rows, bool)
        for name, value in wanted.items():
            match &= np.array([cell == value for cell in table[name].to_pylist()], bool)
        keep |= match
    return table.filter(arrow_array(keep))
