"""`OperatorCalls`: the operator calls of a trace, how they nest, their host time and launches.

A call whose only child operator has the same name is merged with that child, because frameworks
record redispatches this way. Annotations, modules and Python frames between an operator and the
operators it calls are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.analysis.kernels.matrix_operators import could_multiply
from nbprof.analysis.kernels.matrix_units import used_rows
from nbprof.analysis.self_time import self_time
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.links.overhead import overhead_in_calls
from nbprof.model.names.roles import innermost_operators, named, operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class OperatorCalls:
    """All operator calls of a trace; arrays of shape (calls,) unless said otherwise.

    Attributes
    ----------
    row : ndarray of int64
        Host row; the outermost one of merged calls.
    forest : Forest
        The nesting of the calls.
    call_of_host : ndarray of int64, shape (host rows,)
        Index of the call that an operator row belongs to, -1 for other rows.
    call_of_device : ndarray of int64, shape (device rows,)
        Index of the call that launched the row, -1 for none.
    self_ns : ndarray of int64
        Host time without operators and runtime calls inside.
    eligible : ndarray of bool
        Whether the call or one inside it used matrix units or could have.
    lowest_eligible : ndarray of bool
        Whether the call is eligible and no call inside it is.
    """

    row: Rows
    forest: Forest
    call_of_host: Rows
    call_of_device: Rows
    self_ns: Rows
    eligible: Mask
    lowest_eligible: Mask


def operator_calls(model: TraceModel) -> OperatorCalls:
    """Return the operator calls of a trace; computed once."""
    return model.cached("operator calls", lambda: _find_calls(model))


def _find_calls(model: TraceModel) -> OperatorCalls:
    is_operator = operator_rows(model)
    above = innermost_operators(model)
    outer = _outermost(model, is_operator, above)
    row = np.flatnonzero(is_operator & (outer == np.arange(len(outer))))
    index = np.full(len(outer), -1, np.int64)
    index[row] = np.arange(len(row))
    call_of_host = np.where(is_operator, index[outer], -1)
    round_it = above[row]
    parent = np.where(round_it >= 0, call_of_host[round_it], -1)
    forest = Forest.of(parent)
    operator = model.links.operator
    call_of_device = np.where(operator >= 0, call_of_host[operator] if len(outer) else -1, -1)
    eligible, lowest = _eligible(model, row, forest, call_of_device)
    return OperatorCalls(
        row=row,
        forest=forest,
        call_of_host=call_of_host,
        call_of_device=call_of_device,
        self_ns=_self_time(model, row, index),
        eligible=eligible,
        lowest_eligible=lowest,
    )


def _outermost(model: TraceModel, is_operator: Mask, above: Rows) -> Rows:
    """Return for each row the outermost operator row it is merged with, or the row itself."""
    outer = np.arange(len(above))
    name = model.column("host", "name")
    inside = np.flatnonzero(is_operator & (above >= 0))
    children = np.bincount(above[inside], minlength=len(above))
    merged = inside[(children[above[inside]] == 1) & (name[above[inside]] == name[inside])]
    outer[merged] = above[merged]
    moving = merged
    while len(moving):  # each round halves the length of the chains
        onward = outer[outer[moving]]
        moving, onward = moving[onward != outer[moving]], onward[onward != outer[moving]]
        outer[moving] = onward
    return outer


def _self_time(model: TraceModel, row: Rows, index: Rows) -> Rows:
    """Return the duration of each call without the union of nested operator and runtime calls.

    The profiler's own work in a call is not the time of the call either.
    """
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    is_call = index >= 0
    splits = is_call | (model.column("host", "kind") == kinds.RUNTIME)
    around = nearest_ancestor(model.nesting.parent, splits)
    own, calls = overhead_in_calls(model)
    own, calls = own[calls >= 0], calls[calls >= 0]
    calls = np.where(splits[calls], calls, around[calls])
    inside = np.flatnonzero(splits)  # rows of a thread are sorted by start
    inside, above = np.append(inside, own), np.append(around[inside], calls)
    under = above >= 0
    under[under] = is_call[above[under]]
    inside, above = inside[under], index[above[under]]
    if not model.nesting.overlaps and not len(own):  # the parts inside a call do not overlap
        length = end - start
        taken = np.bincount(above, weights=length[inside], minlength=len(row))
        left: Rows = length[row] - taken.astype(np.int64)
        return left
    order = np.argsort(start[inside], kind="stable")
    inside, above = inside[order], above[order]
    return self_time(start[row], end[row], start[inside], end[inside], above)


def _eligible(
    model: TraceModel, row: Rows, forest: Forest, call_of_device: Rows
) -> tuple[Mask, Mask]:
    eligible = named(model, "host", could_multiply)[row]
    users = call_of_device[work_rows(model) & used_rows(model)]
    eligible[users[users >= 0]] = True
    above_one = np.zeros(len(row), bool)
    for level in forest.levels:
        callers = forest.parent[level[eligible[level]]]
        eligible[callers] = True
        above_one[callers] = True
    return eligible, eligible & ~above_one
