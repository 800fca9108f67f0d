"""Groupings, key columns and default sort order of the tables that views show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.errors import UnknownNameError
from nbprof.tables import TABLES
from nbprof.widgets.requests.protocol import text_of
from nbprof.widgets.views.table_specs import spec_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    import pyarrow as pa


def groupings_of(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the groupings of a table with their key columns, the default first."""
    spec = spec_of(table)
    return {} if spec is None else spec.groupings


def sums(name: str) -> tuple[str, ...]:
    """Return the columns of a table that may be summed over rows."""
    spec = spec_of(name)
    return () if spec is None else spec.sums


def check_table(name: object) -> str:
    """Return the name of a table of a trace or of the workers of its run.

    Raises
    ------
    UnknownNameError
        There is no such table.
    """
    if not isinstance(name, str) or spec_of(name) is None:
        message = f"There is no table {name!r}; there are {', '.join(TABLES)}."
        raise UnknownNameError(message)
    return name


def check_grouping(table: str, group_by: object) -> str:
    """Return a grouping of a table; an empty one becomes the default.

    Raises
    ------
    RequestError
        It is not a text.
    UnknownNameError
        The table has no such grouping.
    """
    return check_known_grouping(table, groupings_of(table), group_by)


def check_known_grouping(what: str, known: Mapping[str, object], group_by: object) -> str:
    """Return a grouping of a table or view; an empty one becomes the first.

    Raises
    ------
    RequestError
        It is not a text.
    UnknownNameError
        There is no such grouping.
    """
    if group_by in (None, ""):
        return next(iter(known), "")
    group_by = text_of("group_by", group_by)
    if group_by not in known:
        words = f"can be grouped by {', '.join(known)}" if known else "cannot be grouped"
        message = f"{what} has no grouping {group_by!r}; it {words}."
        raise UnknownNameError(message)
    return group_by


def keys(table: str, group_by: str) -> tuple[str, ...]:
    """Return the key columns of a table."""
    known = groupings_of(table)
    if known:
        return known[group_by]
    spec = spec_of(table)
    return () if spec is None else spec.keys


def default_keys(table: str) -> tuple[str, ...]:
    """Return the key columns of a table in its default grouping."""
    spec = spec_of(table)
    return () if spec is None else spec.row_keys()


def keys_in(columns: Container[str], table: str, group_by: str) -> list[str]:
    """Return the key columns that a table has."""
    return [key for key in keys(table, group_by) if key in columns]


def sorts(name: str) -> tuple[str, ...]:
    """Return the columns that a table may initially be sorted by, largest first."""
    spec = spec_of(name)
    return () if spec is None else spec.sort


def first_sort(name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return the column and direction that a table is initially sorted by.

    Operators are sorted by device self time, in traces without a device by host self time.
    """
    for column in sorts(name):
        if column in table.column_names and table[column].null_count < max(table.num_rows, 1):
            return column, "desc"
    return None
