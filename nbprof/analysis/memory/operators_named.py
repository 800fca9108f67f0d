"""Table `memory_operators` for recorders that name the operator of every block.

They do not record who releases a block, so the memory kept by operators is unknown and those
columns are null. If the allocating call is in the trace, the operators around it include it in
their totals. Names that are not operators of the trace, such as those of graphs, have unknown
calls, and totals of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import sums
from nbprof.analysis.memory.columns import (
    MEMORY_OPERATORS,
    code_texts,
    codes_matching,
    device_columns,
)
from nbprof.analysis.memory.owners import call_of_record, callers
from nbprof.analysis.memory.record_operators import names_of_records
from nbprof.analysis.memory.records import kept_devices, kept_records, memory_devices
from nbprof.model.building import arrow_array
from nbprof.model.contract.table import make_table

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def named_operators(model: TraceModel, filter_: Filter, kept: Mask) -> pa.Table:
    """Return what operators allocate by device and name, most memory allocated first.

    Allocations with a call in the trace are selected with that call, all others by their own time.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects allocations and devices.
    kept : ndarray of bool, shape (calls,)
        Which calls of `callers` are selected.
    """
    names, code_of_record = _names(model)
    calls, call = callers(model), call_of_record(model)
    code_of_call = model.column("host", "name")[calls.row].astype(np.int64)
    change = model.column("memory", "bytes")
    alone = (change > 0) & (call < 0) & (code_of_record >= 0)
    plain = filter_.replace(kinds=None if _selects_all(filter_) else filter_.kinds)
    alone &= kept_records(model, plain)
    alone &= codes_matching(code_of_record, names, filter_.name)
    count = len(names)
    number = np.bincount(code_of_call[kept], minlength=count)
    there = np.bincount(code_of_call, minlength=count) > 0
    tables = []
    for device in kept_devices(model, filter_):
        rows = memory_devices(model)[device].rows
        mine = rows[(call[rows] >= 0) & (change[rows] > 0)]
        others = rows[alone[rows]]
        figures: dict[str, Any] = {}
        for name, value in (("count", np.ones_like(change)), ("size_bytes", change)):
            own = sums(call[mine], value[mine], len(calls.row))
            rest = sums(code_of_record[others], value[others], count)
            for key, of_calls in (("self_", own), ("", calls.forest.totals(own))):
                by_name = sums(code_of_call[kept], of_calls[kept], count) + rest
                figures[f"{key}allocation_{name}"] = by_name.astype(np.int64)
        order = _largest_first(figures)
        tables.append(
            make_table(
                MEMORY_OPERATORS,
                {
                    **device_columns(model, np.full(len(order), device, np.int64)),
                    "name": code_texts(order, names),
                    "calls": arrow_array(number[order], pa.int64(), mask=~there[order]),
                    "size_increase_bytes": None,
                    "self_size_increase_bytes": None,
                    **{key: values[order] for key, values in figures.items()},
                },
            )
        )
    if not tables:
        nothing: dict[str, list[None]] = {column.name: [] for column in MEMORY_OPERATORS}
        return make_table(MEMORY_OPERATORS, nothing)
    return pa.concat_tables(tables)


def _selects_all(filter_: Filter) -> bool:
    return filter_.kinds is None or bool({"operator", "memory"} & set(filter_.kinds))


def _names(model: TraceModel) -> tuple[list[str], Rows]:
    """Return all names, those of host rows first, and the code of every record's name."""
    recorded = names_of_records(model)
    names = list(model.values("host", "name"))
    place = {name: code for code, name in enumerate(names)}
    for text in recorded.texts:
        if text not in place:
            place[text] = len(names)
            names.append(text)
    code = np.array([*(place[text] for text in recorded.texts), -1], np.int64)
    return names, code[recorded.code]


def _largest_first(figures: dict[str, Any]) -> Rows:
    """Return the names that allocate anything, sorted by their own allocations, most first."""
    own, total = figures["self_allocation_size_bytes"], figures["allocation_size_bytes"]
    rows = np.flatnonzero((figures["allocation_count"] > 0) | (total > 0))
    order: Rows = rows[np.lexsort((rows, -total[rows], -own[rows]))]
    return order
