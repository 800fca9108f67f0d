"""The tables that the views show: their groupings, keys and first sort order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.model.contract import kernels as contract_kernels
from nbprof.model.contract import tables as contract
from nbprof.model.contract.ranks import PROFILE_TABLES
from nbprof.model.errors import UnknownNameError
from nbprof.trace import TRACE_TABLES

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    import pyarrow as pa

_DEVICE: Final = ("device_type", "device")

#: Key columns of tables without groupings; of all others a row has no key.
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "user_events": ("name",),
    "steps": ("step",),
    "overview": ("category",),
    "device_summary": ("device_type", "device"),
    "device_time": ("worker", "device_type", "device"),
    "recommendations": ("rule",),
    "npu_steps": ("step",),
    "accelerator_cores": ("accelerator_core",),
    "warnings": ("kind",),
    "slices": ("side", "row"),
    "slice_summary": ("side", "name"),
    "modules": ("module_id", "name"),
    "flame": ("name",),
    "distributed_overview": ("step", "worker"),
    "distributed_wait": ("step", "worker"),
    "distributed_ops": ("worker", "name"),
    "memory_operators": (*_DEVICE, "name", "memory_type"),
    "memory_events": (*_DEVICE, "operator", "size_bytes", "allocation_us", "release_us"),
    "memory_peak": _DEVICE,
    "memory_peak_holders": (*_DEVICE, "operator", "module", "call_stack"),
    "memory_components": ("device", "component", "source"),
}

#: Groupings of each table that has any, the default first, with their key columns.
GROUPINGS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "operators": dict(contract.OPERATOR_GROUPS),
    # those of GPUs and of NPUs: a table has some of them
    "kernels": {
        group: tuple(dict.fromkeys((*names, *contract_kernels.NPU_GROUPS[group])))
        for group, names in contract_kernels.GROUPS.items()
    },
}

#: Columns to sort by at first, largest first; the first that holds anything.
_SORTS: Final = {
    "operators": ("device_self_us", "host_self_us"),
    "kernels": ("total_us", "duration_us"),
    "accelerator_cores": ("total_us",),
    "operator_parts": ("host_total_us",),
    "user_events": ("host_total_us",),
    "slice_summary": ("total_us",),
    "flame": ("total_us", "total_bytes"),
    "memory_operators": ("self_allocation_size_bytes",),
    "memory_events": ("size_bytes",),
    "memory_peak_holders": ("bytes",),
    "memory_components": ("peak_reserved_bytes",),
}

#: Columns that may be added up over rows.
SUMS: Final = {
    "operators": ("calls", "device_self_us", "host_self_us"),
    "kernels": ("calls", "total_us", "duration_us"),
    "accelerator_cores": ("calls", "total_us"),
    "user_events": ("calls", "host_total_us"),
    "distributed_ops": ("calls", "total_bytes", "total_latency_us"),
    "slices": ("self_us",),
    "slice_summary": ("count", "total_us", "self_us"),
    "memory_operators": ("calls", "self_allocation_size_bytes"),
    "memory_events": ("size_bytes",),
    "memory_peak_holders": ("bytes", "blocks"),
}


def check_table(name: object) -> str:
    """Return the name of a table of a trace, or of the workers of its run.

    Raises
    ------
    UnknownNameError
        There is no such table.
    """
    if name not in TRACE_TABLES and name not in PROFILE_TABLES:
        message = f"A trace has no table {name!r}; it has {', '.join(TRACE_TABLES)}."
        raise UnknownNameError(message)
    return str(name)


def ways(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the groupings of a table, the default first, with their key columns."""
    return GROUPINGS.get(table, {})


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
    if table in GROUPINGS:
        return GROUPINGS[table][group_by]
    return _KEYS.get(table, ())


def keys_in(columns: Container[str], table: str, group_by: str) -> list[str]:
    """Return the columns that tell the rows of a table apart, of those that it has."""
    return [key for key in keys(table, group_by) if key in columns]


def sorts(name: str) -> tuple[str, ...]:
    """Return the columns that a table may be sorted by at first, largest first."""
    return _SORTS.get(name, ())


def first_sort(name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return the column and direction that a table is sorted by at first.

    Operators go by device self time, on traces without a device by host self time.
    """
    for column in sorts(name):
        if column in table.column_names and table[column].null_count < max(table.num_rows, 1):
            return column, "desc"
    return None
