"""Table `modules`: the tree of modules with their host and device time, forward and backward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import dense, latest, sums, us
from nbprof.analysis.self_time import self_time
from nbprof.analysis.subtree_sums import Forest
from nbprof.analysis.thread_spans import Spans
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.backward import FORWARD_FLOW, linked_forward_rows
from nbprof.model.links.launches import flow_codes
from nbprof.model.links.module_tree import ModuleTree, module_calls, sources_of_device, taken
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

MODULES: Final[Columns] = (
    count("module_id", "Number of the row, the same under every filter."),
    count("parent_id", "Row of the enclosing module; empty at the top."),
    text(
        "name",
        "Class and number of the module. A module called by several others has a row "
        "under each of them, with the values of all its calls.",
    ),
    count("occurrences", "Number of calls."),
    count("operators", "Operators called by the module itself, not through other modules."),
    time("host_total_us", "Host time of the calls, including everything inside."),
    time(
        "host_self_us",
        "Host time without the modules, operators and runtime calls inside: the time of "
        "Python itself.",
    ),
    time("device_total_us", "Time of the device work launched inside the calls."),
    time(
        "device_self_us",
        "Time of the device work launched by the module itself, without modules inside.",
    ),
    time(
        "backward_host_us",
        "Host time of the operators of the backward pass whose forward operators ran in the calls.",
    ),
    time("backward_device_us", "Time of the device work that these operators launched."),
)


Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def modules(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the modules that the filter keeps as a tree in reading order.

    A module (name and recorder's number) has one row under each module that calls it. Its figures
    are those of all its calls, wherever it was called from. Top modules are sorted by name, nested
    ones by their first call. Calls count in full. If the filter drops the parent of a module, the
    next kept ancestor is its parent.

    The backward pass counts for the modules of its linked forward operators, at the time it ran
    itself, so a module may have a row only for its backward pass. Operators without such a link
    count where they ran.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Selects calls; its name applies to modules.

    Returns
    -------
    pyarrow.Table
        Columns of `MODULES`; device columns are null if the trace contains no
        device work, backward columns if it contains no links to a backward pass.
    """
    return latest(model, "modules", filter_, lambda: _modules(model, filter_))


@dataclass(frozen=True)
class _Calls:
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
    place : ndarray of int64
        Number of the node in the tree, which depends on the caller.
    module : ndarray of int64
        Number of the module, regardless of the caller.
    of_place : ndarray of int64, shape (places,)
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
    place: Rows
    module: Rows
    of_place: Rows
    self_ns: Rows
    operators: Rows
    backward: Rows
    backward_call: Rows
    backward_ns: Rows


def _modules(model: TraceModel, filter_: Filter) -> pa.Table:
    calls = model.cached("calls of modules", lambda: _find(model))
    count = int(calls.module.max(initial=-1)) + 1
    kept = kept_host_rows(model, filter_)[calls.row]
    named = _kept_but_for_range(model, filter_, calls)
    duration = model.column("host", "duration_ns")
    backward = selection.host_rows_in_range(model, filter_)[calls.backward]
    backward_ns = np.where(backward, calls.backward_ns, 0)
    own = sums(calls.backward_call, backward_ns, len(calls.row))

    def by_module(values: npt.NDArray[Any], which: Mask) -> Floats:
        return sums(calls.module[which], values[which], count)

    occurrences = np.bincount(calls.module[kept], minlength=count)
    touched = calls.forest.totals(sums(calls.backward_call, backward, len(calls.row))) > 0
    figures: dict[str, Any] = {
        "occurrences": occurrences,
        "operators": by_module(calls.operators, kept).astype(np.int64),
        "host_total_us": us(by_module(duration[calls.row], kept)),
        "host_self_us": us(by_module(calls.self_ns, kept)),
    }
    if _tells_of_links(model):
        figures["backward_host_us"] = us(by_module(calls.forest.totals(own), named))
    if has_device(model):
        forward, of_backward = _device_time(model, filter_, calls, backward)
        total = calls.spans.launched(model, counted_device_rows(model, filter_))
        figures["device_self_us"] = us(by_module(forward, kept))
        figures["device_total_us"] = us(by_module(total, kept))
        if _tells_of_links(model):
            time = by_module(calls.forest.totals(of_backward), named)
            figures["backward_device_us"] = us(time)
    shown = np.zeros(len(calls.of_place), bool)
    shown[calls.place[kept | (named & touched)]] = True
    return _table(model, calls, shown, figures)


def _table(model: TraceModel, calls: _Calls, shown: Mask, figures: dict[str, Any]) -> pa.Table:
    """Arrange the figures of modules as a tree; `shown` is by tree node, figures are by module."""
    tree = ModuleTree.of(model)
    labels = tree.labels()
    reading = _reading_order(tree, labels)
    number = {place: at for at, place in enumerate(reading)}
    above: dict[int, int] = {}
    for place in reading:  # parents come before their children
        parent = tree.parent[place]
        # skip parents that are not shown
        above[place] = parent if parent < 0 or shown[parent] else above[parent]
    places = [place for place in reading if shown[place]]
    data: dict[str, Any] = {
        "module_id": [number[place] for place in places],
        "parent_id": [number.get(above[place]) for place in places],
        "name": [labels[place] for place in places],
    }
    of_place = calls.of_place[np.array(places, np.int64)]
    for column in MODULES[len(data) :]:
        values = figures.get(column.name)
        data[column.name] = None if values is None else values[of_place]
    return make_table(MODULES, data)


def _reading_order(tree: ModuleTree, labels: list[str]) -> list[int]:
    """Return the nodes in reading order, top modules sorted by name."""
    top: dict[int, int] = {}
    for place in tree.order:
        parent = tree.parent[place]
        top[place] = place if parent < 0 else top[parent]
    return sorted(tree.order, key=lambda place: (labels[top[place]], top[place]))


def _find(model: TraceModel) -> _Calls:
    tree = ModuleTree.of(model)
    is_call = module_calls(model)
    row = np.flatnonzero(is_call)
    index = np.full(len(is_call), -1, np.int64)
    index[row] = np.arange(len(row))
    module, _ = dense(*(model.column("host", name)[row] for name in ("name", "module_id")))
    place = tree.module[row]
    of_place = np.full(len(tree.name), -1, np.int64)
    of_place[place] = module
    around = nearest_ancestor(model.nesting.parent, is_call)[row]
    self_ns, operators = _inside(model, row, index)
    linked, call, own = _backward(model, tree, index)
    return _Calls(
        row=row,
        index=index,
        spans=Spans.of(model, is_call),
        forest=Forest.of(taken(index, around)),
        place=place,
        module=module,
        of_place=of_place,
        self_ns=self_ns,
        operators=operators,
        backward=linked,
        backward_call=call,
        backward_ns=own,
    )


def _inside(model: TraceModel, row: Rows, index: Rows) -> tuple[Rows, Rows]:
    """Return the host time without nested calls, and the number of operators, of each call."""
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    is_operator = operator_rows(model)
    splits = is_operator | (index >= 0) | (model.column("host", "kind") == kinds.RUNTIME)
    inside = np.flatnonzero(splits)  # rows of a thread are sorted by start
    above = taken(index, nearest_ancestor(model.nesting.parent, splits)[inside])
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
    above = taken(number, nearest_ancestor(model.nesting.parent, is_linked)[linked])
    inside, above = linked[above >= 0], above[above >= 0]
    own = self_time(start[linked], end[linked], start[inside], end[inside], above)
    call = taken(index, taken(tree.call, linked_forward_rows(model)[linked]))
    return linked[call >= 0], call[call >= 0], own[call >= 0]


def _device_time(
    model: TraceModel, filter_: Filter, calls: _Calls, backward: Mask
) -> tuple[Floats, Floats]:
    """Return the device time launched by each call itself, and by its backward pass.

    `backward` selects the linked rows that count.
    """
    tree = ModuleTree.of(model)
    counted = counted_device_rows(model, filter_)
    duration = model.column("device", "duration_ns")
    source = sources_of_device(model)

    def by_call(call: Rows) -> Floats:
        wanted = counted & (call >= 0)
        return sums(call[wanted], duration[wanted], len(calls.row))

    owner = model.cached("backward owners of device rows", lambda: taken(_owners(model), source))
    call_of = np.full(len(calls.index), -1, np.int64)
    call_of[calls.backward[backward]] = calls.backward_call[backward]
    of_backward = taken(call_of, owner)
    return by_call(taken(calls.index, taken(tree.call, source))), by_call(of_backward)


def _owners(model: TraceModel) -> Rows:
    """Return the linked backward row that each host row is or lies in, -1 for none."""
    is_linked = linked_forward_rows(model) >= 0
    above = nearest_ancestor(model.nesting.parent, is_linked)
    return np.where(is_linked, np.arange(len(above)), above)


def _kept_but_for_range(model: TraceModel, filter_: Filter, calls: _Calls) -> Mask:
    """Return which calls the filter keeps, ignoring its range."""
    kept: Mask = selection.host_rows(model, filter_.replace(steps=None, time_us=None))[calls.row]
    return kept


def _tells_of_links(model: TraceModel) -> bool:
    """Return whether the trace has arrows to the backward pass or sequence numbers instead."""

    def look() -> bool:
        is_arrow = flow_codes(model, "category", FORWARD_FLOW)[model.column("flows", "category")]
        return bool(is_arrow.any() or (model.column("host", "sequence") >= 0).any())

    return model.cached("tells of backward links", look)


TABLE: Final = TableSpec(
    name="modules",
    summary="the module tree with its times, forward and backward",
    columns=MODULES,
    make=modules,
    keys=("module_id", "name"),
    nouns=("module", "modules"),
    needs="modules",
)
