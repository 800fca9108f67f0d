"""The tables that the views show: their groupings, keys and first sort order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.model import contract
from nbprof.model.errors import UnknownNameError
from nbprof.trace import TRACE_TABLES

if TYPE_CHECKING:
    import pyarrow as pa

#: Groupings of each table or view that has any, the default first, with their key columns.
GROUPINGS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "operators": dict(contract.OPERATOR_GROUPS),
    "kernels": dict(contract.KERNEL_GROUPS),
    # a view rather than a table: how its lanes are made, which leaves its rows as they are
    "timeline": {"thread": ("side", "row"), "module": ("side", "row")},
}

#: Key columns of tables without groupings; of all others a row has no key.
_KEYS: Final = {
    "user_events": ("name",),
    "steps": ("step",),
    "overview": ("category",),
    "device_summary": ("device_type", "device"),
    "device_time": ("worker", "device_type", "device"),
    "recommendations": ("rule",),
    "warnings": ("kind",),
    "slices": ("side", "row"),
    "slice_summary": ("side", "name"),
    "modules": ("module_id",),
}

#: Columns to sort by at first, largest first; the first that holds anything.
_SORTS: Final = {
    "operators": ("device_self_us", "host_self_us"),
    "kernels": ("total_us",),
    "user_events": ("host_total_us",),
    "slice_summary": ("total_us",),
}

#: Columns that may be added up over rows.
SUMS: Final = {
    "operators": ("calls", "device_self_us", "host_self_us"),
    "kernels": ("calls", "total_us"),
    "user_events": ("calls", "host_total_us"),
    "slices": ("self_us",),
    "slice_summary": ("count", "total_us", "self_us"),
}


def check_table(name: object) -> str:
    """Return the name of a table of a trace.

    Raises
    ------
    UnknownNameError
        There is no such table.
    """
    if name not in TRACE_TABLES:
        message = f"A trace has no table {name!r}; it has {', '.join(TRACE_TABLES)}."
        raise UnknownNameError(message)
    return str(name)


def check_grouping(table: str, group_by: object) -> str:
    """Return a grouping of a table, its default for an empty one.

    Raises
    ------
    UnknownNameError
        The table has no such grouping.
    """
    known = GROUPINGS.get(table, {})
    if not group_by:
        return next(iter(known), "")
    if group_by not in known:
        ways = f"can be grouped by {', '.join(known)}" if known else "cannot be grouped"
        message = f"{table} has no grouping {group_by!r}; it {ways}."
        raise UnknownNameError(message)
    return str(group_by)


def keys(table: str, group_by: str) -> tuple[str, ...]:
    """Return the columns that tell the rows of a table apart."""
    if table in GROUPINGS:
        return GROUPINGS[table][group_by]
    return _KEYS.get(table, ())


def first_sort(name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return the column and direction that a table is sorted by at first.

    Operators go by device self time, on traces without a device by host self time.
    """
    for column in _SORTS.get(name, ()):
        if column in table.column_names and table[column].null_count < max(table.num_rows, 1):
            return column, "desc"
    return None
