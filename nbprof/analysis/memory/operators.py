"""Table `memory_operators`: what operators allocate and release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.rows import kept_host_rows
from nbprof.analysis.grouping import dense, firsts, sums, texts
from nbprof.analysis.memory.columns import device_columns, memory_types
from nbprof.analysis.memory.operators_named import named_operators
from nbprof.analysis.memory.owners import call_of_record, callers
from nbprof.analysis.memory.records import (
    kept_devices,
    memory_devices,
    reserved_records,
    tells_names,
    tells_reserved,
)
from nbprof.model.contract import memory as contract
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The figures of the table in their order: of all inside a call, then of the call itself.
FIGURES: Final = (
    ("size_increase_bytes", "self_size_increase_bytes"),
    ("allocation_count", "self_allocation_count"),
    ("allocation_size_bytes", "self_allocation_size_bytes"),
)
#: Those of recorders that tell what is in use from what the allocator holds, besides.
RELEASES: Final = (
    ("release_count", "self_release_count"),
    ("release_size_bytes", "self_release_size_bytes"),
)


def memory_operators(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what the operator calls that the filter keeps allocate, by device and name.

    A record belongs to the innermost operator that was running on its thread, a release to the one
    that released. Calls are counted whole, and of nested calls of one name both count. Operators
    that neither allocate nor release on a device have no row for it. Rows go by device, most memory
    kept by the operator itself first.

    Of recorders that say of everything that runs what it is, ranges of the user and of the
    framework count like operators: a record belongs to the innermost of all these, and to it alone.

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
        Columns of `contract_memory.MEMORY_OPERATORS`. Of recorders that tell what is in use from
        what the allocator holds, those are rows of their own, with ``memory_type`` behind the name
        and the columns of `contract_memory.MEMORY_RELEASES`. Of recorders that name the operator of
        a block and not who releases it, see `memory_operators_named`.
    """
    if tells_names(model):
        return named_operators(model, filter_, kept_calls(model, filter_))
    calls = callers(model)
    kept = kept_calls(model, filter_)
    group, first = dense(model.column("host", "name")[calls.row])
    count = len(first)
    number = np.bincount(group[kept], minlength=count)
    first_kept = firsts(group[kept], count)
    name = model.column("host", "name")[calls.row[first]]
    columns: dict[str, list[Rows]] = {name: [] for pair in figures_of(model) for name in pair}
    shown: list[Rows] = []
    kinds_shown = memory_kinds(model, filter_)
    for kind in kinds_shown:
        figures = figures_of_calls(model, kind)
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
    place = np.repeat(np.arange(len(kinds_shown)), [len(one) for one in shown])
    device = np.array([kind.device for kind in kinds_shown], np.int64)[place]
    reserved = np.array([kind.is_reserved for kind in kinds_shown], bool)[place]
    return make_table(
        contract_of(model),
        {
            **device_columns(model, device),
            "name": texts(model, "host", "name", name[rows]),
            "memory_type": memory_types(reserved),
            "calls": number[rows],
            **{key: np.concatenate([none, *values]) for key, values in columns.items()},
        },
    )


class MemoryKind(NamedTuple):
    """What a part of the table is about: a device, and whether of what its allocator holds."""

    device: int
    is_reserved: bool


def memory_kinds(model: TraceModel, filter_: Filter) -> list[MemoryKind]:
    """Return the parts of the table in their order."""
    ways = (False, True) if tells_reserved(model) else (False,)
    return [MemoryKind(one, way) for one in kept_devices(model, filter_) for way in ways]


def figures_of(model: TraceModel) -> tuple[tuple[str, str], ...]:
    """Return the figures that the table of a trace has."""
    return (*FIGURES, *RELEASES) if tells_reserved(model) else FIGURES


def contract_of(model: TraceModel) -> Columns:
    """Return the columns that the table of a trace has."""
    columns = contract.MEMORY_OPERATORS
    if not tells_reserved(model):
        return columns
    place = [column.name for column in columns].index("calls")
    return (*columns[:place], contract.MEMORY_KIND, *columns[place:], *contract.MEMORY_RELEASES)


def kept_calls(model: TraceModel, filter_: Filter) -> Mask:
    """Return which calls of `callers` the table counts, shape (calls,)."""
    row = callers(model).row
    wanted = None if filter_.kinds is None or "memory" in filter_.kinds else filter_.kinds
    if wanted is not None and not tells_reserved(model):
        if "operator" not in wanted:
            return np.zeros(len(row), bool)
        wanted = None
    plain = filter_.replace(kinds=wanted, devices=None, streams=None, workers=None)
    if not plain:
        return np.ones(len(row), bool)
    kept: Mask = kept_host_rows(model, plain)[row]
    return kept


def figures_of_calls(model: TraceModel, kind: MemoryKind) -> dict[str, npt.NDArray[np.float64]]:
    """Return the figures of every call of `callers` in a part of the table; computed once."""
    return model.cached(("memory figures", kind), lambda: _add_up(model, kind))


def _add_up(model: TraceModel, kind: MemoryKind) -> dict[str, npt.NDArray[np.float64]]:
    forest = callers(model).forest
    rows = memory_devices(model)[kind.device].rows
    if tells_reserved(model):
        rows = rows[reserved_records(model)[rows] == kind.is_reserved]
    call = call_of_record(model)[rows]
    change = model.column("memory", "bytes")[rows][call >= 0]
    call = call[call >= 0]
    allocated, released = np.maximum(change, 0), np.maximum(-change, 0)
    each = (change, allocated > 0, allocated, released > 0, released)
    found = {}
    for (total, own), values in zip(figures_of(model), each, strict=False):
        found[own] = sums(call, values, len(forest.parent))
        found[total] = forest.totals(found[own])
    return found


TABLE: Final = TableSpec(
    name="memory_operators",
    summary="what operators allocate and release",
    columns=contract.MEMORY_OPERATORS,
    extra_columns=(contract.MEMORY_KIND, *contract.MEMORY_RELEASES),
    make=memory_operators,
    keys=("device_type", "device", "name", "memory_type"),
    sort=("self_allocation_size_bytes",),
    sums=("calls", "self_allocation_size_bytes"),
    nouns=("operator", "operators"),
)
