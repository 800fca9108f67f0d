"""Table `memory_operators`: what operators allocate and release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_host_rows
from nbprof.analysis.grouping import dense, first_rows, sums, texts
from nbprof.analysis.memory.columns import (
    MEMORY_KIND,
    MEMORY_OPERATORS,
    device_columns,
    memory_types,
)
from nbprof.analysis.memory.operators_named import named_operators
from nbprof.analysis.memory.owners import call_of_record, callers
from nbprof.analysis.memory.records import (
    kept_devices,
    memory_devices,
    records_name_operators,
    reserved_records,
    separates_reserved,
)
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.contract.columns import Columns, count, size
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel

#: For recorders that record releases.
MEMORY_RELEASES: Final[Columns] = (
    count("release_count", "Releases in the operator and the operators it called."),
    count("self_release_count", "Releases by the operator itself."),
    size("release_size_bytes", "Bytes of the releases, without subtracting allocations."),
    size("self_release_size_bytes", "Bytes of the operator's own releases."),
)


Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Figures of the table in order: of a call with everything inside it, then of the call itself.
FIGURES: Final = (
    ("size_increase_bytes", "self_size_increase_bytes"),
    ("allocation_count", "self_allocation_count"),
    ("allocation_size_bytes", "self_allocation_size_bytes"),
)
#: Additional figures if the recorder distinguishes allocated and reserved memory.
RELEASES: Final = (
    ("release_count", "self_release_count"),
    ("release_size_bytes", "self_release_size_bytes"),
)


def memory_operators(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the memory allocated by the operator calls that the filter keeps, by device and name.

    A record belongs to the innermost operator running on its thread, a release to the operator that
    released. Calls count in full, and both of two nested calls of the same name count. Operators
    that neither allocate nor release on a device have no row for it. Rows are sorted by device,
    then by memory kept by the operator itself, most first.

    If the recorder gives every event a type, ranges of the user and the framework count like
    operators: a record belongs to the innermost of all these only.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects calls and devices. Kinds without operators and memory give no rows.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_OPERATORS`. If the recorder distinguishes allocated and reserved memory,
        both have separate rows, with ``memory_type`` after the name and the columns of
        `MEMORY_RELEASES`. For recorders that name the operator of a block but not who releases it,
        see `operators_named`.
    """
    if records_name_operators(model):
        return named_operators(model, filter_, kept_calls(model, filter_))
    calls = callers(model)
    kept = kept_calls(model, filter_)
    group, first = dense(model.column("host", "name")[calls.row])
    count = len(first)
    number = np.bincount(group[kept], minlength=count)
    first_kept = first_rows(group[kept], count)
    name = model.column("host", "name")[calls.row[first]]
    columns: dict[str, list[Rows]] = {name: [] for pair in figures_of(model) for name in pair}
    shown: list[Rows] = []
    kinds_shown = memory_kinds(model, filter_)
    for kind in kinds_shown:
        where, figures = figures_of_calls(model, kind)
        counts = kept[where]
        number_of, any_call = dense(group[where[counts]])
        names_here = group[where[counts]][any_call]
        by_name = {
            key: sums(number_of, values[counts], len(names_here)).astype(np.int64)
            for key, values in figures.items()
        }
        some = np.flatnonzero(np.any([values != 0 for values in by_name.values()], axis=0))
        some = some[np.argsort(names_here[some])]
        rows, by_name = names_here[some], {key: values[some] for key, values in by_name.items()}
        order = np.lexsort(
            (
                # Ties are broken by the first call, which is the same in every part of a trace.
                first_kept[rows],
                -by_name["size_increase_bytes"],
                -by_name["self_size_increase_bytes"],
            )
        )
        shown.append(rows[order])
        for key, values in by_name.items():
            columns[key].append(values[order])
    none = np.empty(0, np.int64)
    rows = np.concatenate([none, *shown])
    place = np.repeat(np.arange(len(kinds_shown)), [len(one) for one in shown])
    device = np.array([kind.device for kind in kinds_shown], np.int64)[place]
    reserved = np.array([kind.is_reserved for kind in kinds_shown], bool)[place]
    return make_table(
        _columns_of(model),
        {
            **device_columns(model, device),
            "name": texts(model, "host", "name", name[rows]),
            "memory_type": memory_types(reserved),
            "calls": number[rows],
            **{key: np.concatenate([none, *values]) for key, values in columns.items()},
        },
    )


class MemoryKind(NamedTuple):
    """The device and memory type (allocated or reserved) of a part of the table."""

    device: int
    is_reserved: bool


def memory_kinds(model: TraceModel, filter_: Filter) -> list[MemoryKind]:
    """Return the parts of the table in order."""
    reserved = (False, True) if separates_reserved(model) else (False,)
    return [MemoryKind(one, flag) for one in kept_devices(model, filter_) for flag in reserved]


def figures_of(model: TraceModel) -> tuple[tuple[str, str], ...]:
    """Return the names of the figures in the table of a trace."""
    return (*FIGURES, *RELEASES) if separates_reserved(model) else FIGURES


def _columns_of(model: TraceModel) -> Columns:
    """Return the columns of the table of a trace."""
    columns = MEMORY_OPERATORS
    if not separates_reserved(model):
        return columns
    place = [column.name for column in columns].index("calls")
    return (*columns[:place], MEMORY_KIND, *columns[place:], *MEMORY_RELEASES)


def kept_calls(model: TraceModel, filter_: Filter) -> Mask:
    """Return which calls of `callers` count in the table, shape (calls,)."""
    row = callers(model).row
    wanted = None if filter_.kinds is None or "memory" in filter_.kinds else filter_.kinds
    if wanted is not None and not separates_reserved(model):
        if "operator" not in wanted:
            return np.zeros(len(row), bool)
        wanted = None
    plain = filter_.replace(kinds=wanted, devices=None, streams=None, workers=None)
    if not plain:
        return np.ones(len(row), bool)
    kept: Mask = kept_host_rows(model, plain)[row]
    return kept


def figures_of_calls(
    model: TraceModel, kind: MemoryKind
) -> tuple[Rows, dict[str, npt.NDArray[np.float64]]]:
    """Return the calls of `callers` in a part of the table, and their figures; computed once.

    Calls without memory records on the device, neither their own nor of nested calls, are left out.
    """
    return model.cached(("memory figures", kind), lambda: _sum_figures(model, kind))


def _sum_figures(
    model: TraceModel, kind: MemoryKind
) -> tuple[Rows, dict[str, npt.NDArray[np.float64]]]:
    rows = memory_devices(model)[kind.device].rows
    if separates_reserved(model):
        rows = rows[reserved_records(model)[rows] == kind.is_reserved]
    call = call_of_record(model)[rows]
    change = model.column("memory", "bytes")[rows][call >= 0]
    call = call[call >= 0]
    calls, parent = _with_callers(model, kind, call)
    forest, call = Forest.of(parent), np.searchsorted(calls, call)
    allocated, released = np.maximum(change, 0), np.maximum(-change, 0)
    each = (change, allocated > 0, allocated, released > 0, released)
    figures = {}
    for (total, own), values in zip(figures_of(model), each, strict=False):
        figures[own] = sums(call, values, len(calls))
        figures[total] = forest.totals(figures[own])
    return calls, figures


def _with_callers(model: TraceModel, kind: MemoryKind, call: Rows) -> tuple[Rows, Rows]:
    """Return calls with all their callers, and the index of each one's parent among them."""
    parent = callers(model).forest.parent
    # One array serves all kinds: a mask for each would take memory for kinds times calls.
    last = model.cached("last kind seen in calls", lambda: np.full(len(parent), -1, np.int64))
    number, found = 2 * kind.device + kind.is_reserved, []
    while len(call):
        call = np.unique(call[last[call] != number])
        last[call] = number
        found.append(call)
        call = parent[call][parent[call] >= 0]
    every = np.sort(np.concatenate([call, *found]))
    above = parent[every]
    return every, np.where(above >= 0, np.searchsorted(every, above), -1)


TABLE: Final = TableSpec(
    name="memory_operators",
    summary="what operators allocate and release",
    columns=MEMORY_OPERATORS,
    extra_columns=(MEMORY_KIND, *MEMORY_RELEASES),
    make=memory_operators,
    keys=("device_type", "device", "name", "memory_type"),
    sort=("self_allocation_size_bytes",),
    sums=("calls", "self_allocation_size_bytes"),
    nouns=("operator", "operators"),
    needs="memory",
    empty_texts={"memory": "No operator was recorded that allocates or releases memory."},
    step_parts="nbprof.analysis.steps.step_parts_memory:memory_operator_parts",
)
