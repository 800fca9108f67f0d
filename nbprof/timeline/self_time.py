"""The self time of host slices, of whole ones and of what of them lies in a range.

Of an operator it is the time without operators and runtime calls inside it, as in the table of
operators; of any other slice the time without the slices straight inside it. Device slices have
none: nothing is inside of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.own_time import own_time
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def host_self_times(model: TraceModel) -> Rows:
    """Return the self time of every host row in nanoseconds, shape (host rows,); cached."""

    def make() -> Rows:
        rows = np.arange(model.tables["host"].num_rows, dtype=np.int64)
        start = model.column("host", "start_ns")
        return self_times_of(model, rows, start, start + model.column("host", "duration_ns"))

    return model.cached("slice self times", make)


def self_times_of(model: TraceModel, rows: Rows, start: Rows, end: Rows) -> Rows:
    """Return the self time of some host rows, of which perhaps only a part is looked at.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (n,)
        Host rows, ascending; with each of them all rows inside it of which something is looked at.
    start, end : ndarray of int64, shape (n,)
        The part of each, within one range for all.

    Returns
    -------
    ndarray of int64, shape (n,)
        Nanoseconds.
    """
    is_operator = operator_rows(model)
    operator, parent = _operator_round(model)[rows], model.nesting.parent[rows]
    in_operator = np.flatnonzero(operator >= 0)
    in_other = np.flatnonzero((parent >= 0) & ~is_operator[parent])
    inside = np.concatenate([in_operator, in_other])
    above = np.concatenate([operator[in_operator], parent[in_other]])
    index = above if len(rows) == len(is_operator) else np.searchsorted(rows, above)
    return own_time(start, end, start[inside], end[inside], index)


def self_time_of(model: TraceModel, row: int) -> int:
    """Return the self time of one host row in nanoseconds, without computing that of all."""
    start = model.column("host", "start_ns")
    duration = model.column("host", "duration_ns")
    thread = model.column("host", "thread")
    # What is inside follows on the same thread, up to the last row that starts before the end.
    last = int(np.searchsorted(thread, thread[row], side="right"))
    end = start[row] + duration[row]
    last = row + int(np.searchsorted(start[row:last], end, side="right"))
    rows = np.arange(row, max(last, row + 1))
    if operator_rows(model)[row]:
        inside = rows[_operator_round(model)[rows] == row]
    else:
        inside = rows[model.nesting.parent[rows] == row]
    above = np.zeros(len(inside), np.int64)
    begin = start[inside]
    own = own_time(start[[row]], end.reshape(1), begin, begin + duration[inside], above)
    return int(own[0])


def _operator_round(model: TraceModel) -> Rows:
    """Return the operator that each host row takes time from, -1 for rows that take from none."""

    def make() -> Rows:
        is_operator = operator_rows(model)
        splits = is_operator | (model.column("host", "kind") == kinds.RUNTIME)
        above = nearest_ancestor(model.nesting.parent, splits)
        takes = splits & (above >= 0) & is_operator[above]
        return np.where(takes, above, -1)

    return model.cached("operator that slices take time from", make)
