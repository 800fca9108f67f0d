"""The calls between functions of a profile without recursion, and how each shares in its callee.

Calls back to a function that has not returned yet are folded into its frame: they are left out, and
the self time spent in them counts for the calls that remain. So the self time of every function is
counted exactly once, and where there is no recursion, all times are those of the profile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CallGraph:
    """The calls that remain, sorted by caller, the longest first.

    Attributes
    ----------
    first : ndarray of int64, shape (functions + 1,)
        The first call of each caller, then the number of calls.
    callee : ndarray of int64, shape (calls,)
    time : ndarray of float64, shape (calls,)
        Time of the callee in these calls, in microseconds.
    own, total : ndarray of float64, shape (functions,)
        Time of each function without and with its calls.
    root : ndarray of float64, shape (functions,)
        The part of `total` that no caller accounts for.
    is_recursive : ndarray of bool, shape (functions,)
        Whether the function calls itself, directly or through others.
    """

    first: Rows
    callee: Rows
    time: Floats
    own: Floats
    total: Floats
    root: Floats
    is_recursive: Mask

    @classmethod
    def of(cls, model: TraceModel) -> CallGraph:
        """Build the graph of a profile."""
        count = model.tables["functions"].num_rows
        own = np.maximum(np.nan_to_num(model.column("functions", "self_us")), 0.0)
        caller, callee, time = _timed_calls(model)
        outside = _outside(model, caller, callee, time)
        is_recursive = np.zeros(count, bool)
        is_recursive[callee[caller == callee]] = True
        use = (caller >= 0) & (caller != callee)
        caller, callee, time = caller[use], callee[use], time[use]
        order = np.lexsort((-time, caller))
        caller, callee, time = caller[order], callee[order], time[order]
        first = np.searchsorted(caller, np.arange(count + 1))
        starts = np.lexsort((-model.column("functions", "total_us"), outside <= 0))
        is_back, finished = _walked(first, callee, starts)
        is_recursive[callee[is_back]] = True
        kept = ~is_back
        caller, callee, time = caller[kept], callee[kept], time[kept]
        first = np.searchsorted(caller, np.arange(count + 1))
        by_callers = np.bincount(callee, weights=time, minlength=count)
        # Without times, as of functions too short for the clock, callers share alike.
        alone = np.bincount(callee, minlength=count) == 0
        idle = ~alone & (by_callers + outside <= 0)
        time = np.where(idle[callee], 1.0, time)
        whole = np.bincount(callee, weights=time, minlength=count) + outside
        share = time / np.where(whole > 0, whole, 1.0)[callee]
        from_outside = np.where(alone, 1.0, np.divide(outside, whole, where=whole > 0, out=own * 0))
        total = own.copy()
        for function in finished:
            start, end = first[function], first[function + 1]
            if start < end:
                total[function] += share[start:end] @ total[callee[start:end]]
        return cls(
            first, callee, share * total[callee], own, total, from_outside * total, is_recursive
        )


def _timed_calls(model: TraceModel) -> tuple[Rows, Rows, Floats]:
    """Return caller, callee and time of all calls; unknown times are split by number of calls."""
    caller = model.column("function_calls", "caller")
    callee = model.column("function_calls", "callee")
    time = model.column("function_calls", "total_us")
    unknown = np.isnan(time)
    if unknown.any():
        calls = np.maximum(model.column("functions", "calls"), 1)[callee]
        total = np.nan_to_num(model.column("functions", "total_us"))[callee]
        part = model.column("function_calls", "calls") / calls
        time = np.where(unknown, total * np.minimum(part, 1.0), time)
    return caller, callee, np.maximum(time, 0.0)


def _outside(model: TraceModel, caller: Rows, callee: Rows, time: Floats) -> Floats:
    """Return the time of calls of each function from outside of the profile, shape (functions,).

    A function was called from outside as often as none of its callers accounts for. Without
    recursion the time is what its callers leave; otherwise it is split by primitive calls.
    """
    count = model.tables["functions"].num_rows
    known = caller >= 0
    number = model.column("function_calls", "calls")[known].astype(np.float64)
    by_callers = np.bincount(callee[known], weights=number, minlength=count)
    of_callers = np.bincount(callee[known], weights=time[known], minlength=count)
    calls = model.column("functions", "calls").astype(np.float64)
    primitive = model.column("functions", "primitive_calls").astype(np.float64)
    total = np.maximum(np.nan_to_num(model.column("functions", "total_us")), 0.0)
    outside = np.maximum(calls - by_callers, 0.0)
    part = np.minimum(np.divide(outside, primitive, out=np.ones(count), where=primitive > 0), 1.0)
    left = np.where(calls == primitive, np.maximum(total - of_callers, 0.0), total * part)
    return np.where(outside > 0, left, 0.0)


def _walked(first: Rows, callee: Rows, starts: Rows) -> tuple[Mask, list[int]]:
    """Walk along all calls, depth first, the longest ones first.

    Parameters
    ----------
    first, callee : ndarray of int64
        As in `CallGraph`, with recursion.
    starts : ndarray of int64, shape (functions,)
        All functions, in the order in which to begin with them.

    Returns
    -------
    is_back : ndarray of bool, shape (calls,)
        Whether a call leads to a function that has not returned.
    finished : list of int
        All functions, each after those that it calls otherwise.
    """
    is_back = np.zeros(len(callee), bool)
    begin, target = first.tolist(), callee.tolist()
    unseen, active, done = 0, 1, 2
    state = [unseen] * (len(begin) - 1)
    finished: list[int] = []
    place = begin[:-1]
    for start in starts.tolist():
        if state[start] != unseen:
            continue
        state[start] = active
        path = [start]
        while path:
            function = path[-1]
            at = place[function]
            if at == begin[function + 1]:
                state[function] = done
                finished.append(path.pop())
                continue
            place[function] = at + 1
            other = target[at]
            if state[other] == unseen:
                state[other] = active
                path.append(other)
            elif state[other] == active:
                is_back[at] = True
    return is_back, finished
