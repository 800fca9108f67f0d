"""`Calls`: the calls and the device work of the steps of a trace, as one forest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_device_rows, kept_host_rows, work_rows
from nbprof.analysis.grouping import dense
from nbprof.analysis.self_time import self_time
from nbprof.model.filters.selection import step_of_device_rows, step_of_host_rows
from nbprof.model.links.backward import forward_rows, linked_forward_rows
from nbprof.model.links.module_tree import (
    ModuleTree,
    module_calls,
    module_label,
    sources_of_device,
)
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows
from nbprof.model.steps.label_families import CHANGES, family_of
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The recorder numbers the modules of a class in the order of their first calls, so that a new
#: module changes the numbers of all later ones.
_NUMBER: Final = re.compile(r"_\d+$")

KINDS: Final = ("annotation", "module", "operator", "kernel", "memcpy", "memset")
ANNOTATION, MODULE, OPERATOR, KERNEL, MEMCPY, MEMSET = range(6)


@dataclass(frozen=True)
class Calls:
    """Calls on the host, then device work; arrays of shape (nodes,).

    Attributes
    ----------
    parent : ndarray of int64
        The node around it, or the operator that launched it; -1 directly in its step.
    step : ndarray of int64
        Place of its step among those that count.
    order : ndarray of int64
        Position among all nodes: siblings are in this order.
    label : ndarray of int64
        What makes two nodes the same: index in `labels`.
    host_ns, device_ns : ndarray of int64
        Time on the host outside of other nodes; time of the device work itself.
    backward : ndarray of bool
        Whether it is in the backward pass.
    shapes : ndarray of int64
        Code of the input shapes, -1 without.
    labels : list of (int, str, str)
        Kind, text that two sides have in common, and name to show.
    root_ns : ndarray of int64, shape (steps,)
        Time of every step itself on its own thread, outside of nodes.
    """

    parent: Rows
    step: Rows
    order: Rows
    label: Rows
    host_ns: Rows
    device_ns: Rows
    backward: Mask
    shapes: Rows
    labels: list[tuple[int, str, str]]
    root_ns: Rows

    @classmethod
    def of(cls, model: TraceModel, filter_: Filter, used: UsedSteps) -> Calls:
        """Find the calls of the steps that count, and the work that they launched."""
        steps = len(model.steps.number)
        place = used.place(step_of_host_rows(model), steps)
        kind = _kinds(model)
        chosen = (kind >= 0) & (place >= 0) & kept_host_rows(model, filter_)
        rows = np.flatnonzero(chosen)
        index = np.full(len(chosen) + 1, -1, np.int64)  # the last is for row -1
        index[rows] = np.arange(len(rows))
        around = nearest_ancestor(model.nesting.parent, chosen)
        inner = np.append(np.where(chosen, index[:-1], index[around]), -1)
        target = _forward_modules(model, rows, index)
        parent = np.where(target >= 0, target, index[around[rows]])
        work = np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_))
        on_device = used.place(step_of_device_rows(model)[work], steps)
        work, on_device = work[on_device >= 0], on_device[on_device >= 0]
        step = np.concatenate([place[rows], on_device])
        parent = np.concatenate([parent, inner[sources_of_device(model)[work]]])
        parent[(parent >= 0) & (step[parent] != step)] = -1
        host_ns, root_ns = _own_times(model, chosen, used)
        duration = model.column("device", "duration_ns")[work]
        back = np.append(forward_rows(model) >= 0, False)
        label, labels = _labels(model, kind, rows, work)
        nothing = np.zeros(len(work), np.int64)
        return cls(
            parent=parent,
            step=step,
            order=_order(model, rows, work),
            label=label,
            host_ns=np.concatenate([host_ns, nothing]),
            device_ns=np.concatenate([np.zeros(len(rows), np.int64), duration]),
            backward=np.concatenate([back[rows], back[sources_of_device(model)[work]]]),
            shapes=np.concatenate([model.column("host", "input_shapes")[rows], nothing - 1]),
            labels=labels,
            root_ns=root_ns,
        )


def _kinds(model: TraceModel) -> Rows:
    """Return the place in `KINDS` of the host rows that are nodes, -1 for others."""
    is_annotation = model.column("host", "kind") == kinds.ANNOTATION
    kind = np.where(is_annotation, ANNOTATION, -1)
    kind[operator_rows(model)] = OPERATOR
    kind[module_calls(model)] = MODULE
    return kind


def _forward_modules(model: TraceModel, rows: Rows, index: Rows) -> Rows:
    """Return the node of the module that a backward row moves to, -1 for rows that stay.

    Rows inside a row that moves to the same module move with it. A row that begins before its
    forward operator is wrongly linked.
    """
    target = values_at(index[:-1], ModuleTree.of(model).forward_call)
    start = model.column("host", "start_ns")
    moves = (linked_forward_rows(model) >= 0) & (target >= 0)
    at = np.flatnonzero(moves)
    moves[at] = start[rows[target[at]]] < start[at]
    moves &= index[:-1] >= 0
    above = nearest_ancestor(model.nesting.parent, moves)
    moves &= (above < 0) | (values_at(target, above) != target)
    return np.where(moves, target, -1)[rows]


def _own_times(model: TraceModel, chosen: Mask, used: UsedSteps) -> tuple[Rows, Rows]:
    """Return the host time of every node, and of every step, without the nodes inside."""
    steps = model.steps
    is_node = chosen.copy()
    of_steps = np.array([steps.row[at] for at in used.index], np.int64)
    is_node[of_steps[of_steps >= 0]] = True
    rows = np.flatnonzero(is_node)
    index = np.full(len(chosen) + 1, -1, np.int64)
    index[rows] = np.arange(len(rows))
    start = model.column("host", "start_ns")[rows]
    end = start + model.column("host", "duration_ns")[rows]
    around = index[nearest_ancestor(model.nesting.parent, is_node)[rows]]
    inside = np.flatnonzero(around >= 0)
    own = self_time(start, end, start[inside], end[inside], around[inside])
    root = np.zeros(used.count, np.int64)
    for at, row in enumerate(of_steps.tolist()):
        root[0 if used.whole else at] += own[index[row]] if row >= 0 else 0
    return own[index[np.flatnonzero(chosen)]], root


def _order(model: TraceModel, rows: Rows, work: Rows) -> Rows:
    """Return the position of nodes: the thread of the steps first, device work last, then time."""
    thread = model.column("host", "thread").astype(np.int64)
    steps = np.bincount(
        thread[model.column("host", "kind") == kinds.STEP],
        minlength=model.tables["threads"].num_rows,
    )
    rank = np.argsort(np.argsort(-steps, kind="stable"), kind="stable")
    place = np.concatenate([rank[thread[rows]], np.full(len(work), len(rank))])
    start = np.concatenate(
        [model.column("host", "start_ns")[rows], model.column("device", "start_ns")[work]]
    )
    order = np.empty(len(start), np.int64)
    order[np.lexsort((np.arange(len(start)), start, place))] = np.arange(len(start))
    return order


def _labels(
    model: TraceModel, kind: Rows, rows: Rows, work: Rows
) -> tuple[Rows, list[tuple[int, str, str]]]:
    """Return the label of every node, and what the labels are."""
    of_device = {kinds.KERNEL: KERNEL, kinds.MEMCPY: MEMCPY, kinds.MEMSET: MEMSET}
    places = np.array([of_device.get(code, -1) for code in range(len(kinds.DEVICE_KINDS))])
    all_kinds = np.concatenate([kind[rows], places[model.column("device", "kind")[work]]])
    codes = np.concatenate(
        [model.column("host", "name")[rows], model.column("device", "name")[work]]
    ).astype(np.int64)
    if len(codes) == 0:
        return codes, []
    group, first = dense(all_kinds, codes)
    hosts, devices = model.values("host", "name"), model.values("device", "name")
    labels = []
    for one, code in zip(all_kinds[first].tolist(), codes[first].tolist(), strict=True):
        name = (hosts if one < KERNEL else devices)[code] if code >= 0 else ""
        labels.append((one, _common(one, name), module_label(name) if one == MODULE else name))
    return group, labels


def _common(kind: int, name: str) -> str:
    """Return the part of a name that does not depend on how often something ran before."""
    if kind == MODULE:
        return _NUMBER.sub("", module_label(name))
    return CHANGES.join(family_of(name, endings=True)) if kind == ANNOTATION else name
