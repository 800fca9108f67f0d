"""Contributions of each step to the table ``memory_operators``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import dense, sums
from nbprof.analysis.memory.columns import device_columns, memory_types
from nbprof.analysis.memory.operators import (
    figures_of,
    kept_calls,
    memory_figures,
    memory_kinds,
)
from nbprof.analysis.memory.owners import callers
from nbprof.analysis.memory.records import records_name_operators
from nbprof.analysis.steps.step_parts import StepParts, step_of_host_rows
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.analysis.memory.operators import MemoryKind
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Key columns of the table, as far as it has them.
_KEYS: Final = ("device_type", "device", "name", "memory_type")


def memory_operator_parts(
    model: TraceModel, table: pa.Table, group_by: str, filter_: Filter = NO_FILTER
) -> StepParts | None:
    """Return the contributions of each step to the table ``memory_operators``.

    Parameters
    ----------
    model : TraceModel
        The trace.
    table : pyarrow.Table
        The table under the filter, in any order, or some of its rows.
    group_by : str
        Empty, as the table has no groupings.
    filter_ : Filter
        The filter of the table, without steps and name.

    Returns
    -------
    StepParts or None
        None where records name operators that have no calls.
    """
    if group_by or records_name_operators(model):
        return None
    calls = callers(model)
    code = model.column("host", "name")[calls.row]
    group, first = dense(code)
    names = [model.values("host", "name")[one] for one in code[first]]
    is_kept = kept_calls(model, filter_)
    kept = np.flatnonzero(is_kept)
    step = step_of_host_rows(model)[calls.row]
    shown = memory_kinds(model, filter_)
    rank, name, row = _places(model, table, names, shown)
    # Calls count for their name whether or not they allocate, on each device with a row for it.
    steps = len(model.steps.number) + 1
    call_key, first_call, number = np.unique(
        group[kept] * steps + step[kept] + 1, return_index=True, return_counts=True
    )
    low, high = (np.searchsorted(call_key, (name + more) * steps) for more in (0, 1))
    count = high - low
    place = np.repeat(np.arange(len(row)), count)
    at = np.arange(len(place)) - np.repeat(np.cumsum(count) - high, count)
    step_at = call_key[at] % steps - 1
    cell_key = place * steps + step_at + 1
    data: dict[str, Any] = {
        "step": np.where(step_at >= 0, np.append(model.steps.number, -1)[step_at], -1),
        "row": arrow_array(row[place], pa.int32()),
        "calls": number[at].astype(np.float64),
    }
    recorded = memory_figures(model)
    wanted = recorded.place_in(shown) * len(names) + group[recorded.call]  # negative if not shown
    known = rank * len(names) + name  # ascending
    of = np.searchsorted(known, wanted)
    hit = is_kept[recorded.call] & (np.append(known, -1)[of] == wanted) & (wanted >= 0)
    call, of = recorded.call[hit], of[hit]
    cell = np.searchsorted(cell_key, of * steps + step[call] + 1)
    for figure, values in recorded.figures.items():
        data[figure] = sums(cell, values[hit], len(cell_key))
    data["device"] = rank[place].astype(np.float64)
    data["first"] = kept[first_call[at]].astype(np.float64)
    cells = table_of(data).take(arrow_array(np.lexsort((row[place], step_at, rank[place]))))
    if not shown:
        cells = cells.select(["step", "row"])
    names_of_figures = [name for pair in figures_of(model) for name in pair]
    columns: dict[str, list[Any]] = {name: ["sum", name] for name in ("calls", *names_of_figures)}
    order = [
        ["device", "asc"],
        ["self_size_increase_bytes", "desc"],
        ["size_increase_bytes", "desc"],
        ["first", "asc"],
    ]
    return StepParts(cells, columns, order, names_of_figures)


def _places(
    model: TraceModel, table: pa.Table, names: Sequence[str], shown: Sequence[MemoryKind]
) -> tuple[Rows, Rows, Rows]:
    """Return where the table has a row for a kind of memory and a name.

    Returns
    -------
    kind, name, row : ndarray of int64, shape (n,)
        Indices of the kind and the name, ascending, and the first row for both.
    """
    columns = [name for name in _KEYS if name in table.column_names]
    device = np.array([kind.device for kind in shown], np.int64)
    of_kinds: dict[str, list[Any]] = {
        name: values.to_pylist() for name, values in device_columns(model, device).items()
    }
    reserved = np.array([kind.is_reserved for kind in shown], bool)
    of_kinds["memory_type"] = memory_types(reserved).to_pylist()
    keys = zip(*(of_kinds[name] for name in columns if name != "name"), strict=True)
    kinds_of: dict[tuple[Any, ...], list[int]] = {}
    for rank, key in enumerate(keys):
        kinds_of.setdefault(key, []).append(rank)
    place_of = {name: place for place, name in enumerate(names)}
    found: dict[tuple[int, int], int] = {}
    wanted = zip(*(table[name].to_pylist() for name in columns if name != "name"), strict=True)
    for row, (key, name) in enumerate(zip(wanted, table["name"].to_pylist(), strict=True)):
        if name in place_of:
            for rank in kinds_of.get(key, ()):
                found.setdefault((rank, place_of[name]), row)
    pairs = np.array(sorted((*pair, row) for pair, row in found.items()), np.int64).reshape(-1, 3)
    return pairs[:, 0], pairs[:, 1], pairs[:, 2]
