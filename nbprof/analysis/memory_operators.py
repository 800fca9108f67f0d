"""Table `memory_operators`: what operators allocate and release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.device_rows import kept_host_rows
from nbprof.analysis.grouping import dense, firsts, sums, texts
from nbprof.analysis.memory_columns import device_columns
from nbprof.analysis.memory_owners import call_of_record
from nbprof.analysis.memory_records import kept_devices, memory_devices
from nbprof.analysis.operator_calls import operator_calls
from nbprof.model import contract_memory as contract
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.table import make_table

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The figures of the table in their order: of all inside a call, then of the call itself.
FIGURES = (
    ("size_increase_bytes", "self_size_increase_bytes"),
    ("allocation_count", "self_allocation_count"),
    ("allocation_size_bytes", "self_allocation_size_bytes"),
)


def memory_operators(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what the operator calls that the filter keeps allocate, by device and name.

    A record belongs to the innermost operator that was running on its thread, a release to the one
    that released. Calls are counted whole, and of nested calls of one name both count. Operators
    that neither allocate nor release on a device have no row for it. Rows go by device, most memory
    kept by the operator itself first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Which calls count, and of which devices. Kinds that name neither operators nor memory leave
        none.

    Returns
    -------
    pyarrow.Table
        Columns of `contract_memory.MEMORY_OPERATORS`.
    """
    calls = operator_calls(model)
    kept = kept_calls(model, filter_)
    group, first = dense(model.column("host", "name")[calls.row])
    count = len(first)
    number = np.bincount(group[kept], minlength=count)
    first_kept = firsts(group[kept], count)
    name = model.column("host", "name")[calls.row[first]]
    columns: dict[str, list[Rows]] = {name: [] for pair in FIGURES for name in pair}
    shown: list[Rows] = []
    devices = kept_devices(model, filter_)
    for device in devices:
        figures = figures_of_calls(model, device)
        by_name = {
            key: sums(group[kept], values[kept], count).astype(np.int64)
            for key, values in figures.items()
        }
        rows = np.flatnonzero(np.any([values != 0 for values in by_name.values()], axis=0))
        order = np.lexsort(
            (
                # Of equal ones the first call decides: the same in whatever part of a trace.
                first_kept[rows],
                -by_name["size_increase_bytes"][rows],
                -by_name["self_size_increase_bytes"][rows],
            )
        )
        shown.append(rows[order])
        for key, values in by_name.items():
            columns[key].append(values[rows[order]])
    none = np.empty(0, np.int64)
    rows = np.concatenate([none, *shown])
    place = np.repeat(np.array(devices, np.int64), [len(one) for one in shown])
    return make_table(
        contract.MEMORY_OPERATORS,
        {
            **device_columns(model, place),
            "name": texts(model, "host", "name", name[rows]),
            "calls": number[rows],
            **{key: np.concatenate([none, *values]) for key, values in columns.items()},
        },
    )


def kept_calls(model: TraceModel, filter_: Filter) -> Mask:
    """Return which operator calls the table counts, shape (calls,)."""
    row = operator_calls(model).row
    if filter_.kinds is not None and not {"operator", "memory"} & set(filter_.kinds):
        return np.zeros(len(row), bool)
    plain = filter_.replace(kinds=None, devices=None, streams=None, workers=None)
    if not plain:
        return np.ones(len(row), bool)
    kept: Mask = kept_host_rows(model, plain)[row]
    return kept


def figures_of_calls(model: TraceModel, device: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return the six figures of every operator call on a device; computed once."""
    return model.cached(("memory figures", device), lambda: _add_up(model, device))


def _add_up(model: TraceModel, device: int) -> dict[str, npt.NDArray[np.float64]]:
    forest = operator_calls(model).forest
    rows = memory_devices(model)[device].rows
    call = call_of_record(model)[rows]
    change = model.column("memory", "bytes")[rows][call >= 0]
    call = call[call >= 0]
    allocated = np.maximum(change, 0)
    found = {}
    for (total, own), values in zip(FIGURES, (change, allocated > 0, allocated), strict=True):
        found[own] = sums(call, values, len(forest.parent))
        found[total] = forest.totals(found[own])
    return found
