"""Self time of host slices, in full or within a range of time.

For an operator it is the time without operators, runtime calls and the profiler's own work inside
it, as in the table of operators; for any other slice the time without its direct children. Device
slices have no children and no self time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.self_time import self_time
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.links.overhead import overhead_in_calls
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def host_self_times(model: TraceModel) -> Rows:
    """Return the self time of each host row in nanoseconds, shape (host rows,); cached."""

    def make() -> Rows:
        rows = np.arange(model.tables["host"].num_rows, dtype=np.int64)
        start = model.column("host", "start_ns")
        return self_times_of(model, rows, start, start + model.column("host", "duration_ns"))

    return model.cached("slice self times", make)


def self_times_of(model: TraceModel, rows: Rows, start: Rows, end: Rows) -> Rows:
    """Return the self time of host rows, each possibly cut to a part.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (n,)
        Host rows, ascending; must include all rows inside them that overlap the part.
    start, end : ndarray of int64, shape (n,)
        The part of each row, all within one range.

    Returns
    -------
    ndarray of int64, shape (n,)
        Nanoseconds.
    """
    is_operator = operator_rows(model)
    operator, parent = _parent_operator(model)[rows], model.nesting.parent[rows]
    in_operator = np.flatnonzero(operator >= 0)
    in_other = np.flatnonzero((parent >= 0) & ~is_operator[parent])
    inside = np.concatenate([in_operator, in_other])
    above = np.concatenate([operator[in_operator], parent[in_other]])
    index = above
    if len(rows) < len(is_operator):
        # A slice that ends after the slice around it may overlap the range when that one does not.
        there = np.isin(above, rows)
        inside, index = inside[there], np.searchsorted(rows, above[there])
    if len(overhead_in_calls(model)[0]):  # it is not beside the rows of the thread that it is on
        order = np.argsort(start[inside], kind="stable")
        inside, index = inside[order], index[order]
    return self_time(start, end, start[inside], end[inside], index)


def self_time_of(model: TraceModel, row: int) -> int:
    """Return the self time of one host row in nanoseconds, without computing all."""
    start = model.column("host", "start_ns")
    duration = model.column("host", "duration_ns")
    thread = model.column("host", "thread")
    # Rows inside follow on the same thread, up to the last one that starts before the end.
    last = int(np.searchsorted(thread, thread[row], side="right"))
    end = start[row] + duration[row]
    last = row + int(np.searchsorted(start[row:last], end, side="right"))
    rows = np.arange(row, max(last, row + 1))
    if operator_rows(model)[row]:
        operator, own = _parent_operator(model), overhead_in_calls(model)[0]
        inside = np.concatenate([rows[operator[rows] == row], own[operator[own] == row]])
        inside = inside[np.argsort(start[inside], kind="stable")]
    else:
        inside = rows[model.nesting.parent[rows] == row]
    above = np.zeros(len(inside), np.int64)
    begin = start[inside]
    own = self_time(start[[row]], end.reshape(1), begin, begin + duration[inside], above)
    return int(own[0])


def _parent_operator(model: TraceModel) -> Rows:
    """Return the operator whose self time each host row reduces, -1 for none."""

    def make() -> Rows:
        is_operator = operator_rows(model)
        splits = is_operator | (model.column("host", "kind") == kinds.RUNTIME)
        above = nearest_ancestor(model.nesting.parent, splits)
        own, calls = overhead_in_calls(model)
        above[own], splits[own] = calls, True
        takes = splits & (above >= 0) & is_operator[above]
        return np.where(takes, above, -1)

    return model.cached("operator that slices take time from", make)
