"""The tables that the views show: their groupings, keys and first sort order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.errors import UnknownNameError
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    import pyarrow as pa


def ways(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the groupings of a table, the default first, with their key columns."""
    spec = TABLES.get(table)
    return {} if spec is None else spec.groupings


def sums(name: str) -> tuple[str, ...]:
    """Return the columns of a table that may be added up over rows."""
    spec = TABLES.get(name)
    return () if spec is None else spec.sums


def check_table(name: object) -> str:
    """Return the name of a table of a trace, or of the workers of its run.

    Raises
    ------
    UnknownNameError
        There is no such table.
    """
    if not isinstance(name, str) or TABLES.get(name) is None:
        message = f"There is no table {name!r}; there are {', '.join(TABLES)}."
        raise UnknownNameError(message)
    return name


def check_grouping(table: str, group_by: object) -> str:
    """Return a grouping of a table, its default for an empty one.

    Raises
    ------
    UnknownNameError
        The table has no such grouping.
    """
    return check_way(table, ways(table), group_by)


def check_way(what: str, known: Mapping[str, object], group_by: object) -> str:
    """Return a grouping of a table or view, the first of those it has for an empty one.

    Raises
    ------
    UnknownNameError
        It has no such grouping.
    """
    if not group_by:
        return next(iter(known), "")
    if group_by not in known:
        words = f"can be grouped by {', '.join(known)}" if known else "cannot be grouped"
        message = f"{what} has no grouping {group_by!r}; it {words}."
        raise UnknownNameError(message)
    return str(group_by)


def keys(table: str, group_by: str) -> tuple[str, ...]:
    """Return the columns that tell the rows of a table apart."""
    known = ways(table)
    if known:
        return known[group_by]
    spec = TABLES.get(table)
    return () if spec is None else spec.keys


def keys_in(columns: Container[str], table: str, group_by: str) -> list[str]:
    """Return the columns that tell the rows of a table apart, of those that it has."""
    return [key for key in keys(table, group_by) if key in columns]


def sorts(name: str) -> tuple[str, ...]:
    """Return the columns that a table may be sorted by at first, largest first."""
    spec = TABLES.get(name)
    return () if spec is None else spec.sort


def first_sort(name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return the column and direction that a table is sorted by at first.

    Operators go by device self time, on traces without a device by host self time.
    """
    for column in sorts(name):
        if column in table.column_names and table[column].null_count < max(table.num_rows, 1):
            return column, "desc"
    return None
