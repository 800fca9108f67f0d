"""Links operators of the backward pass to their forward operators.

Recorders draw an arrow from a forward operator to its backward operator. Without arrows, the
sequence number is used: it is the number of the next autograd node, so of all forward operators
with the same number, the last one to start created the node. PyTorch draws its arrows by the same
rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.launches import flow_codes, look_up, match_pairs
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import distinct
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Category of the arrows in the flows table.
FORWARD_FLOW = "fwdbwd"


def forward_rows(model: TraceModel) -> Rows:
    """Return the forward operator of every host row in the backward pass.

    Rows inside a backward operator (runtime calls, operators that it calls) have the same forward
    operator as it.

    Returns
    -------
    ndarray of int64, shape (host rows,)
        Host rows, -1 for rows that are in no backward pass or whose forward operator is unknown.
        Computed once.
    """
    return model.cached("forward rows", lambda: _extend_to_children(model))


def linked_forward_rows(model: TraceModel) -> Rows:
    """Return the forward operator of every backward operator, but not of rows inside it.

    Returns
    -------
    ndarray of int64, shape (host rows,)
        Host rows, -1 without one. Computed once.
    """
    return model.cached("linked forward rows", lambda: _find_links(model))


def are_backward(model: TraceModel, rows: Rows) -> npt.NDArray[np.bool_]:
    """Return which of few host rows have a forward operator, shape (rows,).

    For all rows, `forward_rows` is faster.
    """
    linked, parent = linked_forward_rows(model) >= 0, model.nesting.parent
    found = np.zeros(len(rows), bool)
    place, above = np.arange(len(rows)), rows
    while len(above):
        found[place] = linked[above]
        place, above = place[~linked[above]], parent[above[~linked[above]]]
        place, above = place[above >= 0], above[above >= 0]
    return found


def _extend_to_children(model: TraceModel) -> Rows:
    linked = linked_forward_rows(model)
    above = nearest_ancestor(model.nesting.parent, linked >= 0)
    return np.where((linked < 0) & (above >= 0), linked[above], linked)


def _find_links(model: TraceModel) -> Rows:
    found, by_arrow = _by_sequence(model), _by_arrow(model)
    np.copyto(found, by_arrow, where=by_arrow >= 0)
    return found


def _by_arrow(model: TraceModel) -> Rows:
    """Follow the arrows, whose ends are the starts of operators."""
    forward = np.full(model.tables["host"].num_rows, -1, np.int64)
    is_arrow = flow_codes(model, "category", FORWARD_FLOW)[model.column("flows", "category")]
    phase = model.column("flows", "phase")
    heads = np.flatnonzero(is_arrow & flow_codes(model, "phase", "s")[phase])
    tails = np.flatnonzero(is_arrow & flow_codes(model, "phase", "f")[phase])
    if len(heads) == 0 or len(tails) == 0:
        return forward
    ids = model.column("flows", "id")
    head = look_up(ids[heads] + 1, heads, ids[tails] + 1)  # from 1 on, since a key of 0 means none
    tails, heads = tails[head >= 0], head[head >= 0]
    is_operator = model.column("host", "kind") == kinds.OPERATOR
    is_backward = model.column("host", "forward_thread") > 0
    if not is_backward.any():
        is_backward = ~is_backward  # not recorded
        is_forward = is_operator
    else:
        is_forward = is_operator & ~is_backward
    source = _operators_at(model, heads, is_forward)
    target = _operators_at(model, tails, is_operator & is_backward)
    known = (source >= 0) & (target >= 0)
    forward[target[known]] = source[known]
    return forward


def _operators_at(model: TraceModel, flows: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    """Return the wanted rows that start at the ends of arrows and are innermost there, else -1."""
    rows = np.flatnonzero(wanted)
    tid = model.column("threads", "tid")[model.column("host", "thread")[rows]]
    start = model.column("host", "start_ns")[rows]
    ends = model.column("flows", "time_ns")[flows], model.column("flows", "tid")[flows]
    return match_pairs((start, tid), ends, rows)


def _by_sequence(model: TraceModel) -> Rows:
    """Find the last operator with the same number that starts before the backward operator."""
    sequence = model.column("host", "sequence")
    start = model.column("host", "start_ns")
    numbered = (model.column("host", "kind") == kinds.OPERATOR) & (sequence >= 0)
    is_backward = model.column("host", "forward_thread") > 0
    forward, backward = (
        np.flatnonzero(numbered & ~is_backward),
        np.flatnonzero(numbered & is_backward),
    )
    forward_row = np.full(len(sequence), -1, np.int64)
    if len(forward) == 0 or len(backward) == 0:
        return forward_row
    numbers = distinct(sequence[forward])
    times = distinct(start[forward])
    # Ranks instead of times and numbers keep the packed key far from overflow.
    width = len(times) + 1
    key = np.searchsorted(numbers, sequence[forward]) * width
    key += np.searchsorted(times, start[forward], side="right")
    order = np.argsort(key, kind="stable")
    forward, key = forward[order], key[order]
    place = np.minimum(np.searchsorted(numbers, sequence[backward]), len(numbers) - 1)
    # The rank of a time is the number of times up to it; 0 is before all of them.
    limit = place * width + np.searchsorted(times, start[backward], side="left")
    index = np.maximum(np.searchsorted(key, limit, side="right") - 1, 0)
    fits = (numbers[place] == sequence[backward]) & (key[index] // width == place)
    fits &= key[index] <= limit
    forward_row[backward[fits]] = forward[index[fits]]
    return forward_row
