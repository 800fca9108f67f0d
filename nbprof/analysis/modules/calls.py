"""`ModuleCalls`: the calls of modules, their nesting, their own host time and backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense
from nbprof.analysis.launched_work import Spans
from nbprof.analysis.self_time import self_time
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.links.module_tree import ModuleTree, module_calls
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ModuleCalls:
    """All calls of modules; arrays of shape (calls,) unless stated otherwise.

    Attributes
    ----------
    row : ndarray of int64
        Host row.
    index : ndarray of int64, shape (host rows,)
        Index of the call, -1 for other rows.
    spans : Spans
        Time spans of the calls, to find the launches in each.
    forest : Forest
        The nesting of the calls.
    node : ndarray of int64
        Number of the node in the tree, which depends on the caller.
    module : ndarray of int64
        Number of the module, regardless of the caller.
    module_of_node : ndarray of int64, shape (places,)
        Number of the module at each node of the tree.
    self_ns, operators : ndarray of int64
        Host time without nested calls, and number of operators the call itself runs.
    backward : ndarray of int64, shape (linked rows,)
        Host rows in the backward pass whose forward operator ran in a call.
    backward_call : ndarray of int64, shape (linked rows,)
        Index of that call.
    backward_ns : ndarray of int64, shape (linked rows,)
        Host time without linked rows inside.
    """

    row: Rows
    index: Rows
    spans: Spans
    forest: Forest
    node: Rows
    module: Rows
    module_of_node: Rows
    self_ns: Rows
    operators: Rows
    backward: Rows
    backward_call: Rows
    backward_ns: Rows

    @classmethod
    def of(cls, model: TraceModel) -> ModuleCalls:
        """Find the calls of modules in a trace; they are kept with it."""
        return model.cached("calls of modules", lambda: cls._find(model))

    @classmethod
    def _find(cls, model: TraceModel) -> ModuleCalls:
        tree = ModuleTree.of(model)
        is_call = module_calls(model)
        row = np.flatnonzero(is_call)
        index = np.full(len(is_call), -1, np.int64)
        index[row] = np.arange(len(row))
        module, _ = dense(*(model.column("host", name)[row] for name in ("name", "module_id")))
        node = tree.module[row]
        module_of_node = np.full(len(tree.name), -1, np.int64)
        module_of_node[node] = module
        around = nearest_ancestor(model.nesting.parent, is_call)[row]
        self_ns, operators = _own_figures(model, row, index)
        linked, call, own = _backward(model, tree, index)
        return cls(
            row=row,
            index=index,
            spans=Spans.of(model, is_call),
            forest=Forest.of(values_at(index, around)),
            node=node,
            module=module,
            module_of_node=module_of_node,
            self_ns=self_ns,
            operators=operators,
            backward=linked,
            backward_call=call,
            backward_ns=own,
        )


def _own_figures(model: TraceModel, row: Rows, index: Rows) -> tuple[Rows, Rows]:
    """Return the host time without nested calls, and the number of operators, of each call."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    is_operator = operator_rows(model)
    splits = is_operator | (index >= 0) | (model.column("host", "kind") == kinds.RUNTIME)
    inside = np.flatnonzero(splits)  # rows of a thread are sorted by start
    above = values_at(index, nearest_ancestor(model.nesting.parent, splits)[inside])
    inside, above = inside[above >= 0], above[above >= 0]
    self_ns = self_time(start[row], end[row], start[inside], end[inside], above)
    return self_ns, np.bincount(above[is_operator[inside]], minlength=len(row))


def _backward(model: TraceModel, tree: ModuleTree, index: Rows) -> tuple[Rows, Rows, Rows]:
    """Return backward rows linked to a forward operator in a module, their call and own time."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    is_linked = linked_forward_rows(model) >= 0
    linked = np.flatnonzero(is_linked)
    number = np.full(len(is_linked), -1, np.int64)
    number[linked] = np.arange(len(linked))
    above = values_at(number, nearest_ancestor(model.nesting.parent, is_linked)[linked])
    inside, above = linked[above >= 0], above[above >= 0]
    own = self_time(start[linked], end[linked], start[inside], end[inside], above)
    call = values_at(index, values_at(tree.call, linked_forward_rows(model)[linked]))
    return linked[call >= 0], call[call >= 0], own[call >= 0]
