"""Table `modules`: the tree of modules with their host and device time, forward and backward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, has_device, kept_host_rows
from nbprof.analysis.grouping import latest, sums, us
from nbprof.analysis.modules.calls import ModuleCalls
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.backward import FORWARD_FLOW, linked_forward_rows
from nbprof.model.links.launches import flow_codes
from nbprof.model.links.module_tree import ModuleTree, sources_of_device
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at

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


def _modules(model: TraceModel, filter_: Filter) -> pa.Table:
    calls = ModuleCalls.of(model)
    count = int(calls.module.max(initial=-1)) + 1
    is_kept = kept_host_rows(model, filter_)[calls.row]
    named = _kept_ignoring_range(model, filter_, calls)
    duration = model.column("host", "duration_ns")
    backward = selection.host_rows_in_range(model, filter_)[calls.backward]
    backward_ns = np.where(backward, calls.backward_ns, 0)
    own = sums(calls.backward_call, backward_ns, len(calls.row))

    def by_module(values: npt.NDArray[Any], which: Mask) -> Floats:
        return sums(calls.module[which], values[which], count)

    occurrences = np.bincount(calls.module[is_kept], minlength=count)
    touched = calls.forest.totals(sums(calls.backward_call, backward, len(calls.row))) > 0
    figures: dict[str, Any] = {
        "occurrences": occurrences,
        "operators": by_module(calls.operators, is_kept).astype(np.int64),
        "host_total_us": us(by_module(duration[calls.row], is_kept)),
        "host_self_us": us(by_module(calls.self_ns, is_kept)),
    }
    if _has_backward_links(model):
        figures["backward_host_us"] = us(by_module(calls.forest.totals(own), named))
    if has_device(model):
        forward, of_backward = _device_time(model, filter_, calls, backward)
        total = calls.spans.launched(model, counted_device_rows(model, filter_))
        figures["device_self_us"] = us(by_module(forward, is_kept))
        figures["device_total_us"] = us(by_module(total, is_kept))
        if _has_backward_links(model):
            time = by_module(calls.forest.totals(of_backward), named)
            figures["backward_device_us"] = us(time)
    shown = np.zeros(len(calls.module_of_node), bool)
    shown[calls.node[is_kept | (named & touched)]] = True
    return _table(model, calls, shown, figures)


def _table(model: TraceModel, calls: ModuleCalls, shown: Mask, figures: dict[str, Any]) -> pa.Table:
    """Arrange the figures of modules as a tree; `shown` is by tree node, figures are by module."""
    tree = ModuleTree.of(model)
    labels = tree.labels()
    reading = _reading_order(tree, labels)
    number = {node: at for at, node in enumerate(reading)}
    above: dict[int, int] = {}
    for node in reading:  # parents come before their children
        parent = tree.parent[node]
        # skip parents that are not shown
        above[node] = parent if parent < 0 or shown[parent] else above[parent]
    nodes = [node for node in reading if shown[node]]
    data: dict[str, Any] = {
        "module_id": [number[node] for node in nodes],
        "parent_id": [number.get(above[node]) for node in nodes],
        "name": [labels[node] for node in nodes],
    }
    module_of_node = calls.module_of_node[np.array(nodes, np.int64)]
    for column in MODULES[len(data) :]:
        values = figures.get(column.name)
        data[column.name] = None if values is None else values[module_of_node]
    return make_table(MODULES, data)


def _reading_order(tree: ModuleTree, labels: list[str]) -> list[int]:
    """Return the nodes in reading order, top modules sorted by name."""
    top: dict[int, int] = {}
    for node in tree.order:
        parent = tree.parent[node]
        top[node] = node if parent < 0 else top[parent]
    return sorted(tree.order, key=lambda node: (labels[top[node]], top[node]))


def _device_time(
    model: TraceModel, filter_: Filter, calls: ModuleCalls, backward: Mask
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

    owner = model.cached(
        "backward owners of device rows", lambda: values_at(_owners(model), source)
    )
    call_of = np.full(len(calls.index), -1, np.int64)
    call_of[calls.backward[backward]] = calls.backward_call[backward]
    of_backward = values_at(call_of, owner)
    return by_call(values_at(calls.index, values_at(tree.call, source))), by_call(of_backward)


def _owners(model: TraceModel) -> Rows:
    """Return the linked backward row that each host row is or lies in, -1 for none."""
    is_linked = linked_forward_rows(model) >= 0
    above = nearest_ancestor(model.nesting.parent, is_linked)
    return np.where(is_linked, np.arange(len(above)), above)


def _kept_ignoring_range(model: TraceModel, filter_: Filter, calls: ModuleCalls) -> Mask:
    """Return which calls the filter keeps, ignoring its range."""
    is_kept: Mask = selection.host_rows(model, filter_.replace(steps=None, time_us=None))[calls.row]
    return is_kept


def _has_backward_links(model: TraceModel) -> bool:
    """Return whether the trace has arrows to the backward pass or sequence numbers instead."""

    def find() -> bool:
        is_arrow = flow_codes(model, "category", FORWARD_FLOW)[model.column("flows", "category")]
        return bool(is_arrow.any() or (model.column("host", "sequence") >= 0).any())

    return model.cached("has backward links", find)


TABLE: Final = TableSpec(
    name="modules",
    summary="the module tree with its times, forward and backward",
    columns=MODULES,
    make=modules,
    keys=("module_id", "name"),
    nouns=("module", "modules"),
    needs="modules",
)
