"""The tables that the views show: their groupings, keys and first sort order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.model.errors import UnknownNameError
from nbprof.tables import TABLES
from nbprof.widgets.views.memory import TABLES as MEMORY_TABLES

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    import pyarrow as pa

#: Keys of rows that a view puts together itself.
_KEYS: Final = {"distributed": ("worker", "name")}

#: Groupings of views that are not those of a table, with their key columns.
_OF_VIEWS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    # how its lanes are made, which leaves its rows as they are
    "timeline": {"thread": ("side", "row"), "module": ("side", "row")},
    # which of several tables is meant
    "memory": {group: TABLES[table].keys for group, table in MEMORY_TABLES.items()},
}


def groupings_of(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the groupings of a table or view, the default first, with their key columns."""
    if name in _OF_VIEWS:
        return _OF_VIEWS[name]
    spec = TABLES.get(name)
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
    known = groupings_of(table)
    if not group_by:
        return next(iter(known), "")
    if group_by not in known:
        ways = f"can be grouped by {', '.join(known)}" if known else "cannot be grouped"
        message = f"{table} has no grouping {group_by!r}; it {ways}."
        raise UnknownNameError(message)
    return str(group_by)


def keys(table: str, group_by: str) -> tuple[str, ...]:
    """Return the columns that tell the rows of a table apart."""
    known = groupings_of(table)
    if known:
        return known[group_by]
    spec = TABLES.get(table)
    return _KEYS.get(table, ()) if spec is None else spec.keys


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
