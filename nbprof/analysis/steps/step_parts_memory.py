"""Contributions of each step to the table ``memory_operators``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.grouping import dense
from nbprof.analysis.memory.columns import device_columns, memory_types
from nbprof.analysis.memory.operators import (
    figures_of,
    figures_of_calls,
    kept_calls,
    memory_kinds,
)
from nbprof.analysis.memory.owners import callers
from nbprof.analysis.memory.records import records_name_operators
from nbprof.analysis.steps.step_parts import StepParts, cells, rows_by_key, step_of_host_rows
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

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
    step = step_of_host_rows(model)[calls.row]
    found = []
    columns_of_keys = [name for name in _KEYS if name in table.column_names]
    for rank, kind in enumerate(memory_kinds(model, filter_)):
        place = device_columns(model, np.full(len(names), kind.device, np.int64))
        place["memory_type"] = memory_types(np.full(len(names), kind.is_reserved))
        keys = [names if key == "name" else place[key].to_pylist() for key in columns_of_keys]
        row = rows_by_key(table, columns_of_keys, keys)
        row = row[group] if names else group
        row = np.where(is_kept, row, -1)
        # Calls count for their name whether or not they allocate.
        figures = {"calls": np.ones(len(row))}
        calls_here, recorded = figures_of_calls(model, kind)
        for name, values in recorded.items():
            figures[name] = np.zeros(len(row))
            figures[name][calls_here] = values
        ends = {"device": np.full(len(row), rank), "first": np.arange(len(row))}
        found.append(cells(model, step, row, figures, ends))
    names_of_figures = [name for pair in figures_of(model) for name in pair]
    columns: dict[str, list[Any]] = {name: ["sum", name] for name in ("calls", *names_of_figures)}
    order = [
        ["device", "asc"],
        ["self_size_increase_bytes", "desc"],
        ["size_increase_bytes", "desc"],
        ["first", "asc"],
    ]
    empty = table_of({name: arrow_array([], pa.float64()) for name in ("step", "row")})
    joined = pa.concat_tables(found) if found else empty
    return StepParts(joined, columns, order, names_of_figures)
