"""Finds the calls in which the profiler did work of its own, such as emptying its buffers.

Recorders write this work on no thread of the program, though it happens on one, inside of an
operator or a runtime call, whose time it lengthens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.intervals import measure, union
from nbprof.model.links.nesting import parents
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds
from nbprof.model.units import format_time

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def overhead_in_calls(model: TraceModel) -> tuple[Rows, Rows]:
    """Return the profiler's own work, and the operator or runtime call that each is in.

    Returns
    -------
    rows, calls : ndarray of int64, shape (n,)
        Host rows; the call is the last one begun that encloses the work, on whatever thread, -1
        for none. Computed once.
    """

    def find() -> tuple[Rows, Rows]:
        kind = model.column("host", "kind")
        rows = np.flatnonzero(kind == kinds.OVERHEAD)
        return rows, enclosing(model, operator_rows(model) | (kind == kinds.RUNTIME), rows)

    return model.cached("overhead in calls", find)


def overhead_taken(model: TraceModel) -> str:
    """Return how much of the time of the steps the profiler's own work took; empty if none.

    Work on several threads at once is summed, and said to be.
    """
    rows = np.flatnonzero(model.column("host", "kind") == kinds.OVERHEAD)
    low, high = int(model.steps.start_ns.min()), int(model.steps.end_ns.max())
    start, length = (model.column("host", name)[rows] for name in ("start_ns", "duration_ns"))
    start, end = np.maximum(start, low), np.minimum(start + length, high)
    taken = int(np.maximum(end - start, 0).sum())
    if not taken:
        return ""
    summed = ", summed over threads" if taken > measure(union(start, end)) else ""
    return f"{format_time(taken / 1000.0)} of {format_time((high - low) / 1000.0)}{summed}"


def enclosing(model: TraceModel, candidates: npt.NDArray[np.bool_], rows: Rows) -> Rows:
    """Return the last row begun among candidates that encloses each row, on any thread.

    Parameters
    ----------
    model : TraceModel
        The trace.
    candidates : ndarray of bool, shape (host rows,)
        Rows that may enclose others.
    rows : ndarray of int64, shape (n,)
        Host rows that are no candidates.

    Returns
    -------
    ndarray of int64, shape (n,)
        Host rows, -1 for none.
    """
    start, length = (model.column("host", name) for name in ("start_ns", "duration_ns"))
    end = start + length
    # Few of very many candidates are there when a row begins, and only these are sorted.
    begins = np.sort(start[rows])
    begun = np.searchsorted(begins, start, side="left")
    chosen = np.flatnonzero(candidates & (begun < np.searchsorted(begins, end, side="right")))
    chosen = chosen[np.lexsort((-end[chosen], start[chosen]))]
    first, last = start[chosen], end[chosen]
    around = parents(np.zeros(len(chosen), np.int32), first, last)
    # Whatever else encloses a row also encloses the one begun last before it.
    place = np.searchsorted(first, start[rows], side="right") - 1
    outside = np.flatnonzero(place >= 0)
    while len(outside):
        ends = last[place[outside]]
        outside = outside[(ends < end[rows[outside]]) | (ends <= start[rows[outside]])]
        place[outside] = around[place[outside]]
        outside = outside[place[outside] >= 0]
    return np.where(place >= 0, np.append(chosen, -1)[place], -1)


def main_thread(model: TraceModel) -> int:
    """Return the thread that stopped the recording, as far as the file tells.

    It is the one with the number of its process, or else the first with a step, or else the first
    with an operator.
    """

    def find() -> int:
        kind, thread = model.column("host", "kind"), model.column("host", "thread")
        threads = model.tables["threads"].to_pylist()
        main = [str(one["tid"]) == one["pid"] for one in threads]
        for chosen in (kind == kinds.STEP, kind <= kinds.STEP):
            used = thread[chosen]
            on_main = used[np.array(main, bool)[used]]
            if len(on_main) or (len(used) and not any(main)):
                return int((on_main if len(on_main) else used)[0])
        return 0

    return model.cached("main thread", find)
