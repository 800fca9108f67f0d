"""Events on the host as `key_averages` counts them: which rows take part, and how they nest.

PyTorch nests the events of a thread in the order (start, -end): an event is the child of the last
open one that contains it, and events that overlap in part are siblings. A call that directly
contains nothing but one call of the same name is merged with it. Events that begin and end on
different threads take no part in the nesting. Calls of the runtime count on the thread of the
operator that they belong to, and on the main thread if they belong to none, wherever they ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.operators.key_averages.names import (
    codes_where,
    event_names,
    is_left_out,
)
from nbprof.analysis.operators.key_averages.requests import threads_of_calls
from nbprof.model.links.nesting import parents
from nbprof.model.names.communication_names import is_backend_call
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class HostEvents:
    """Host rows that are calls in `key_averages`, in the order (start, -end).

    Attributes
    ----------
    row : ndarray of int64, shape (calls,)
        Host row of each call; the outermost one of merged calls.
    parent : ndarray of int64, shape (calls,)
        Index of the call around each, -1 at the top.
    name : ndarray of int64, shape (calls,)
        Number of the name, see `EventNames`.
    is_annotation, is_asynchronous : ndarray of bool, shape (calls,)
        Which calls are labels, and which begin and end on different threads.
    call_of_row : ndarray of int64, shape (host rows,)
        Index of the call that device work of a host row counts in; -1 for rows that are not
        counted, and for calls around one that they are merged with: PyTorch forgets their work.
    """

    row: Rows
    parent: Rows
    name: Rows
    is_annotation: Mask
    is_asynchronous: Mask
    call_of_row: Rows


def host_events(model: TraceModel, *, python_functions: bool) -> HostEvents:
    """Return the calls on the host; computed once.

    Parameters
    ----------
    model : TraceModel
        The trace.
    python_functions : bool
        Whether Python functions are calls.
    """
    key = ("key average host events", python_functions)
    return model.cached(key, lambda: _host_events(model, python_functions=python_functions))


def _host_events(model: TraceModel, *, python_functions: bool) -> HostEvents:
    kind, code = model.column("host", "kind"), model.column("host", "name")
    names, values = event_names(model), model.values("host", "name")
    counts = ~codes_where(values, is_left_out)[code] & (kind != kinds.PHASE)
    is_python = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    is_python &= model.column("host", "python_id") >= 0  # Lightning's modules are labels
    if not python_functions:
        counts &= ~is_python
    is_label = (kind == kinds.ANNOTATION) | (kind == kinds.STEP)
    is_label |= (kind == kinds.MODULE) & ~is_python
    # Traces do not say which labels end on another thread. Those of collectives do.
    asynchronous = is_label & codes_where(values, is_backend_call)[code]
    number = np.where(
        kind == kinds.OPERATOR,
        _at(names.without_overload, code),
        _at(names.host, code),
    )
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    parent = _parents(model, counts & ~asynchronous, start, end)
    inside = np.flatnonzero(parent >= 0)
    children = np.bincount(parent[inside], minlength=len(parent))
    only = inside[children[parent[inside]] == 1]
    merged = only[number[only] == number[parent[only]]]
    outer = _outermost(merged, parent)
    row = np.flatnonzero(counts & (outer == np.arange(len(outer))))
    row = row[np.lexsort((-end[row], start[row]))]
    index = np.full(len(outer), -1, np.int64)
    index[row] = np.arange(len(row))
    around = parent[row]
    call_of_row = np.where(counts, index[outer], -1) if len(outer) else index
    call_of_row[parent[merged]] = -1
    return HostEvents(
        row=row,
        parent=np.where(around >= 0, index[outer[around]], -1) if len(row) else around,
        name=number[row],
        is_annotation=is_label[row],
        is_asynchronous=asynchronous[row],
        call_of_row=call_of_row,
    )


def _parents(model: TraceModel, chosen: Mask, start: Rows, end: Rows) -> Rows:
    """Return the host row around each chosen row, -1 for none and for other rows."""
    thread = model.column("host", "thread").astype(np.int64)
    call, thread[call] = threads_of_calls(model)
    rows = np.flatnonzero(chosen)
    if len(call):
        rows = rows[np.lexsort((-end[rows], start[rows], thread[rows]))]
    found = parents(thread[rows].astype(np.int32), start[rows], end[rows])
    parent = np.full(len(thread), -1, np.int64)
    parent[rows] = np.where(found >= 0, rows[found], -1) if len(rows) else found
    return parent


def _outermost(merged: Rows, parent: Rows) -> Rows:
    """Return for each row the outermost row that it is merged with, or the row itself."""
    outer = np.arange(len(parent))
    outer[merged] = parent[merged]
    moving = merged
    while len(moving):  # each round halves the length of the chains
        onward = outer[outer[moving]]
        moving, onward = moving[onward != outer[moving]], onward[onward != outer[moving]]
        outer[moving] = onward
    return outer


def _at(numbers: Rows, codes: npt.NDArray[np.int32]) -> Rows:
    """Return the numbers of codes; -1 for no code."""
    return np.append(numbers, -1)[codes]
