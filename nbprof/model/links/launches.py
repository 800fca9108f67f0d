"""Links every device event to the host call that launched it and to the operator of that call.

Launches are found by correlation id or, where the trace has none, by launch flows. The operator is
the one whose External id the call carries, if it runs on the call's thread and contains the call's
start, or else the innermost operator that encloses the call. External ids alone are not reliable,
since some recorders write the correlation id there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model.links.host_nesting import nesting_of
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import distinct
from nbprof.model.names.roles import innermost_operators, operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.trace_data import TraceData

Rows = npt.NDArray[np.int64]

#: Flow ids are unique only within a category.
LAUNCH_FLOW = "launch"
OPERATOR_FLOW = "operator"


@dataclass(frozen=True)
class Links:
    """The launch of each device row; arrays of shape (device rows,), -1 if unknown.

    Attributes
    ----------
    launch : ndarray of int64
        Host row of the runtime or driver call.
    operator : ndarray of int64
        Host row of the operator.
    launched_by : ndarray of int64
        Host row that replaces a missing operator: the graph launch itself, else the innermost
        annotation that encloses the call, else the call.
    """

    launch: Rows
    operator: Rows
    launched_by: Rows


def _link_devices(model: TraceData) -> Links:
    """Link all device rows of a trace."""
    launch = _by_correlation(model)
    # A range on a device starts with its first kernel and must not take that kernel's arrow.
    is_range = model.column("device", "kind") == kinds.DEVICE_ANNOTATION
    unknown = np.flatnonzero((launch < 0) & ~is_range)
    flow_operator = np.full(len(launch), -1, np.int64)
    if len(unknown) and model.tables["flows"].num_rows:
        launch[unknown], flow_operator[unknown] = _by_flow(model, unknown)
    known = np.flatnonzero(launch >= 0)
    calls, call_of = np.unique(launch[known], return_inverse=True)
    operator, launched_by = flow_operator, np.full(len(launch), -1, np.int64)
    operator[known] = operators_of_calls(model, calls)[call_of]
    launched_by[known] = _launching_rows(model, calls)[call_of]
    if flow_codes(model, "category", OPERATOR_FLOW).any():
        by_arrow = _by_operator_flow(model)
        operator = np.where((by_arrow >= 0) & ~is_range, by_arrow, operator)
    launched_by[operator >= 0] = -1
    return Links(launch, operator, launched_by)


def links_of(model: TraceData) -> Links:
    """Return the links of a trace, which are computed once for each trace."""
    return model.as_read.cached("links", lambda: _link_devices(model.as_read))


def operators_of_calls(model: TraceData, calls: Rows) -> Rows:
    """Return the operator row of each host call row, -1 without one."""
    is_operator = operator_rows(model)
    named = _by_external_id(model, calls, np.flatnonzero(is_operator))
    return np.where(named >= 0, named, innermost_operators(model)[calls])


def _by_correlation(model: TraceData) -> Rows:
    correlation = model.column("host", "correlation")
    calls = np.flatnonzero(correlation > 0)
    return look_up(correlation[calls], calls, model.column("device", "correlation"))


def look_up(keys: Rows, rows: Rows, wanted: Rows) -> Rows:
    """Return the row of each wanted key, the last one of equal keys, -1 if there is none."""
    if len(keys) == 0:
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], rows[order]
    index = np.searchsorted(keys, wanted, side="right") - 1
    hit = (index >= 0) & (wanted > 0)
    hit &= keys[np.maximum(index, 0)] == wanted
    return np.where(hit, rows[np.maximum(index, 0)], -1)


def _by_external_id(model: TraceData, calls: Rows, operators: Rows) -> Rows:
    """Find the operator whose External id each call carries, if it contains the call's start."""
    external = model.column("host", "external_id")
    start = model.column("host", "start_ns")
    thread = model.column("host", "thread").astype(np.int64)
    operators = operators[external[operators] > 0]
    if len(operators) == 0 or len(calls) == 0:
        return np.full(len(calls), -1, np.int64)
    # Ids may repeat if a recorder was restarted: of several operators with the id on the thread,
    # the last one that starts before the call counts.
    order = np.lexsort((start[operators], thread[operators], external[operators]))
    operators = operators[order]
    group_of_operator, group_of_call = _common_groups(
        (external[operators], thread[operators]), (external[calls], thread[calls])
    )
    # Ranks instead of times keep the packed key far from overflow on hour-long traces.
    times = np.sort(start[operators])
    width = len(times) + 1
    position = np.searchsorted(
        group_of_operator * width + np.searchsorted(times, start[operators], side="right"),
        group_of_call * width + np.searchsorted(times, start[calls], side="right"),
        side="right",
    )
    position_of = np.maximum(position - 1, 0)
    candidate = operators[position_of]
    end = start[candidate] + model.column("host", "duration_ns")[candidate]
    fits = (position > 0) & (group_of_operator[position_of] == group_of_call)
    fits &= (start[calls] < end) & (start[calls] >= start[candidate])
    return np.where(fits, candidate, -1)


def _common_groups(left: tuple[Rows, Rows], right: tuple[Rows, Rows]) -> tuple[Rows, Rows]:
    """Return equal numbers for equal pairs; left is sorted, right may have new pairs."""
    first, second = left
    new = np.ones(len(first), np.int64)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    number = np.cumsum(new) - 1
    heads = np.flatnonzero(new)
    # Threads are few: pack both parts into one key.
    width = int(max(second.max(), right[1].max())) + 1
    keys = first[heads] * width + second[heads]
    wanted = right[0] * width + right[1]
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return number, np.where((keys[index] == wanted) & (right[0] > 0), index, -1)


def _launching_rows(model: TraceData, calls: Rows) -> Rows:
    """Return the host row that names each launch made without an operator."""
    kind = model.column("host", "kind")
    # Old recorders write the ranges of optimizers and data loaders as operators.
    ranges = (kind == kinds.ANNOTATION) | ((kind == kinds.OPERATOR) & ~operator_rows(model))
    annotation = nearest_ancestor(nesting_of(model).parent, ranges)[calls]
    graph = np.array(["GraphLaunch" in name for name in model.values("host", "name")], bool)
    is_graph = graph[model.column("host", "name")[calls]] if len(graph) else np.zeros(0, bool)
    return np.where(is_graph | (annotation < 0), calls, annotation)


def _by_flow(model: TraceData, rows: Rows) -> tuple[Rows, Rows]:
    """Find launch and operator of device rows by the arrows that end at their start."""
    host = _flow_source(model, rows, LAUNCH_FLOW)
    has_launch = host >= 0
    is_call = np.zeros(len(rows), bool)
    is_call[has_launch] = model.column("host", "kind")[host[has_launch]] == kinds.RUNTIME
    operator = np.full(len(rows), -1, np.int64)
    direct = has_launch & ~is_call
    operator[direct] = _operator_at(model, host[direct])
    return np.where(is_call, host, -1), operator


def _by_operator_flow(model: TraceData) -> Rows:
    """Find operators by their own arrows to device rows, shape (device rows,).

    If operators only queue their work, another thread makes the calls, and no operator encloses
    them.
    """
    every = np.arange(model.tables["device"].num_rows)
    is_range = model.column("host", "kind") != kinds.RUNTIME
    host = _flow_source(model, every, OPERATOR_FLOW, is_range)
    has_operator = host >= 0
    host[has_operator] = _operator_at(model, host[has_operator])
    return host


def _flow_source(
    model: TraceData,
    rows: Rows,
    wanted: str,
    among: npt.NDArray[np.bool_] | None = None,
) -> Rows:
    """Return the host row where an arrow of a category to each device row starts, or -1.

    An arrow ends at the device row of its stream that starts at the arrow's end time. It starts
    from the last candidate host row of its thread that starts at the arrow's start time.
    """
    none = np.full(len(rows), -1, np.int64)
    category, phase = (model.column("flows", c) for c in ("category", "phase"))
    is_wanted = flow_codes(model, "category", wanted)[category]
    heads = np.flatnonzero(is_wanted & flow_codes(model, "phase", "s")[phase])
    tails = np.flatnonzero(is_wanted & flow_codes(model, "phase", "f")[phase])
    if len(heads) == 0 or len(tails) == 0:
        return none
    ids, times, tids = (model.column("flows", c) for c in ("id", "time_ns", "tid"))
    stream, start = model.column("device", "stream")[rows], model.column("device", "start_ns")[rows]
    tail = match_pairs((times[tails], tids[tails]), (start, stream), tails)
    head = np.where(tail >= 0, look_up(ids[heads], heads, np.where(tail >= 0, ids[tail], -1)), -1)
    hosts = np.arange(model.tables["host"].num_rows)
    if among is not None:
        hosts = hosts[among]
    tid = model.column("threads", "tid")[model.column("host", "thread")[hosts]]
    moments = model.column("host", "start_ns")[hosts], tid
    host = match_pairs(moments, (times[head], tids[head]), hosts)
    return np.where(head >= 0, host, -1)


def _operator_at(model: TraceData, hosts: Rows) -> Rows:
    return np.where(operator_rows(model)[hosts], hosts, innermost_operators(model)[hosts])


def flow_codes(model: TraceData, column: str, text: str) -> npt.NDArray[np.bool_]:
    """Return the codes of a text in a column of the flows, shape (codes,)."""
    return np.array([value == text for value in model.values("flows", column)], bool)


def match_pairs(left: tuple[Rows, Rows], right: tuple[Rows, Rows], rows: Rows) -> Rows:
    """Return the row of the last left pair equal to each right pair, -1 without one."""
    # Only a few rows of long columns are usually needed; the others are not numbered.
    wanted = distinct(right[0])
    place = np.minimum(np.searchsorted(wanted, left[0]), max(len(wanted) - 1, 0))
    some = np.flatnonzero(wanted[place] == left[0]) if len(wanted) else rows[:0]
    left, rows = (left[0][some], left[1][some]), rows[some]
    count = len(rows)
    keys = np.zeros(count + len(right[0]), np.int64)
    for part, wanted_part in zip(left, right, strict=True):
        every, rank = np.unique(np.concatenate([part, wanted_part]), return_inverse=True)
        keys = keys * len(every) + rank
    # From 1 on, since a key of 0 means none.
    return look_up(keys[:count] + 1, rows, keys[count:] + 1)
