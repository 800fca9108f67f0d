"""Table `memory_operators`: what operators allocate and release."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
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
    device_of_record,
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
from nbprof.model.links.nesting import depths
from nbprof.model.lookup import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    kinds_shown = memory_kinds(model, filter_)
    found = memory_figures(model)
    place = found.place_in(kinds_shown)
    nodes = np.flatnonzero((place >= 0) & kept[found.call])
    row, any_node = dense(place[nodes], group[found.call[nodes]])
    of_row = {
        key: sums(row, values[nodes], len(any_node)).astype(np.int64)
        for key, values in found.figures.items()
    }
    some = np.flatnonzero(np.any([values != 0 for values in of_row.values()], axis=0))
    nodes, of_row = nodes[any_node[some]], {key: values[some] for key, values in of_row.items()}
    rows, kind = group[found.call[nodes]], place[nodes]
    order = np.lexsort(
        (
            # Ties are broken by the first call, which is the same in every part of a trace.
            first_kept[rows],
            -of_row["size_increase_bytes"],
            -of_row["self_size_increase_bytes"],
            kind,
        )
    )
    rows, kind = rows[order], kind[order]
    device = np.array([one.device for one in kinds_shown], np.int64)[kind]
    reserved = np.array([one.is_reserved for one in kinds_shown], bool)[kind]
    return make_table(
        _columns_of(model),
        {
            **device_columns(model, device),
            "name": texts(model, "host", "name", name[rows]),
            "memory_type": memory_types(reserved),
            "calls": number[rows],
            **{key: values[order] for key, values in of_row.items()},
        },
    )


class MemoryKind(NamedTuple):
    """The device and memory type (allocated or reserved) of a part of the table."""

    device: int
    is_reserved: bool

    @property
    def number(self) -> int:
        """Its number among the kinds of all devices."""
        return 2 * self.device + self.is_reserved


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


@dataclass(frozen=True)
class MemoryFigures:
    """Calls by the kind of memory that they, or calls inside them, allocate or release.

    Attributes
    ----------
    kinds : int
        Number of kinds.
    kind, call : ndarray of int64, shape (n,)
        Number of the kind, and index of the call in `callers`; sorted, each pair once.
    figures : dict of str to ndarray of float64, shape (n,)
        By the names of `figures_of`.
    """

    kinds: int
    kind: Rows
    call: Rows
    figures: dict[str, npt.NDArray[np.float64]]

    def place_in(self, shown: Sequence[MemoryKind]) -> Rows:
        """Return the index in a list of kinds of each row's kind, -1 for others, shape (n,)."""
        place = np.full(self.kinds, -1, np.int64)
        place[[kind.number for kind in shown]] = np.arange(len(shown))
        return place[self.kind]


def memory_figures(model: TraceModel) -> MemoryFigures:
    """Return the figures of all calls for each kind of memory; computed once."""
    return model.cached("memory figures", lambda: _sum_figures(model))


def _sum_figures(model: TraceModel) -> MemoryFigures:
    # All kinds at once: one after the other would take long with many devices.
    calls = max(len(callers(model).row), 1)
    call = call_of_record(model)
    records = np.flatnonzero(call >= 0)
    kind = 2 * device_of_record(model)[records] + reserved_records(model)[records]
    change = model.column("memory", "bytes")[records]
    own_key = kind * calls + call[records]
    keys, parent = _with_callers(callers(model).forest.parent, own_key, calls)
    forest, place = Forest.of(parent), np.searchsorted(keys, own_key)
    allocated, released = np.maximum(change, 0), np.maximum(-change, 0)
    each = (change, allocated > 0, allocated, released > 0, released)
    figures = {}
    for (total, own), values in zip(figures_of(model), each, strict=False):
        figures[own] = sums(place, values, len(keys))
        figures[total] = forest.totals(figures[own])
    return MemoryFigures(2 * len(memory_devices(model)), *np.divmod(keys, calls), figures)


def _with_callers(parent: Rows, key: Rows, calls: int) -> tuple[Rows, Rows]:
    """Return keys with those of all callers, and the index of each one's parent among them.

    A key is the number of a kind times the number of calls, plus the index of a call.
    """
    depth = depths(parent)
    key = distinct(key)
    own = depth[key % calls] if len(key) else key
    by_depth = key[np.argsort(own, kind="stable")]
    bounds = np.searchsorted(np.sort(own), np.arange(own.max(initial=0) + 2)).tolist()
    level, found = key[:0], []
    for low, high in reversed([*pairwise(bounds)]):  # each caller is found once
        kind, call = np.divmod(level, calls)
        level = distinct(np.append(by_depth[low:high], kind * calls + parent[call]))
        found.append(level)
    every = np.sort(np.concatenate([key[:0], *found]))
    kind, call = np.divmod(every, calls)
    above = parent[call] if len(every) else every
    place = np.searchsorted(every, kind * calls + above)
    return every, np.where(above >= 0, place, -1)


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
