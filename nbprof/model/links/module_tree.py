"""Builds the `nn.Module` tree of a trace, and assigns rows to modules.

A row belongs to the innermost module that was running on its thread when it started. The backward
pass runs outside of modules: its rows belong to the module of their forward operator. Without such
a link, a row belongs to the module in which it ran.

PyTorch records modules as Python frames, so calls made in a module are nested inside it. Lightning
records ranges with the dotted name of each module; these names form the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.backward import forward_rows
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.links.paths import Paths
from nbprof.model.lookup import values_at
from nbprof.model.names.name_tests import starts
from nbprof.model.names.roles import LIGHTNING_MODULE, named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_PREFIXES: Final = ("nn.Module: ", LIGHTNING_MODULE)


@dataclass(frozen=True)
class ModuleTree:
    """The modules of a trace; calls with the same name, id and parent module are one module.

    Attributes
    ----------
    call : ndarray of int64, shape (host rows,)
        Row of the innermost module call in which each host row ran; for module calls, the row
        itself. -1 without one.
    forward_call : ndarray of int64, shape (host rows,)
        For rows of the backward pass, the module call in which their forward operator ran; else -1.
    module : ndarray of int64, shape (host rows,)
        Number of the module that each host row belongs to, -1 for none.
    name : list of str
        Name of every module, as recorded.
    ident : list of int
        The recorder's number of each module, unique within a class.
    parent : list of int
        The parent of each module, -1 at the top.
    order : list of int
        The modules in preorder; siblings are in the order in which they first ran.
    """

    call: Rows
    forward_call: Rows
    module: Rows
    name: list[str]
    ident: list[int]
    parent: list[int]
    order: list[int]

    @classmethod
    def of(cls, model: TraceModel) -> ModuleTree:
        """Find the modules of a trace, once."""
        return model.cached("module tree", lambda: _build_tree(model))

    def labels(self) -> list[str]:
        """Return the displayed name of each module."""
        return [module_label(name) for name in self.name]

    def paths(self, names: list[str], separator: str) -> list[str]:
        """Return, for each module, the names of it and its ancestors, joined, outermost first."""
        paths = [""] * len(names)
        for module in self.order:  # parents come before their children
            above = self.parent[module]
            paths[module] = names[module] if above < 0 else paths[above] + separator + names[module]
        return paths


def module_label(name: str) -> str:
    """Return the name of a module without the recorder's prefix."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def module_calls(model: TraceModel) -> Mask:
    """Return which host rows are calls of modules, shape (host rows,).

    If Lightning records modules, only its own calls count, since PyTorch's would repeat them.
    """
    return model.cached("module calls", lambda: _find_calls(model))


def sources_of_device(model: TraceModel) -> Rows:
    """Return the host row that each device row belongs to: its launch, else its operator.

    If operators only queue their work, another thread makes the calls. The operator is returned
    then, since it is nested in its module and annotations.

    Returns
    -------
    ndarray of int64, shape (device rows,)
        Host rows, -1 where neither is known.
    """
    launch, operator = model.links.launch, model.links.operator
    thread = model.column("host", "thread")
    queued = (values_at(thread, launch) != values_at(thread, operator)) & (operator >= 0)
    return np.where((launch >= 0) & ~queued, launch, operator)


def _find_calls(model: TraceModel) -> Mask:
    is_module: Mask = model.column("host", "kind") == kinds.MODULE
    lightning = is_module & named(model, "host", starts(LIGHTNING_MODULE))
    return lightning if lightning.any() else is_module


def _build_tree(model: TraceModel) -> ModuleTree:
    is_call = module_calls(model)
    above = nearest_ancestor(model.nesting.parent, is_call)
    calls = np.flatnonzero(is_call)
    call = np.where(is_call, np.arange(len(above)), above)
    label = _labels(model, calls)
    names = model.values("host", "name")
    paths = Paths.of(calls, above, label.number)
    name = [names[code] if code >= 0 else "" for code in label.name[paths.label].tolist()]
    number, parent = paths.code, paths.parent.tolist()
    if name and name[0].startswith(LIGHTNING_MODULE):
        # A module may be called from many places: its name determines its parent.
        by_label, at = np.unique(label.number, return_index=True)
        number = number.copy()
        number[calls] = np.searchsorted(by_label, label.number)
        name = [names[code] for code in label.name[by_label].tolist()]
        parent = _dotted(name)
        paths = Paths(number, label.number[at], np.array(parent, np.int64))
    ident = label.ident[paths.label].tolist()
    forward_call = np.where(is_call, -1, values_at(call, forward_rows(model)))
    module = values_at(number, np.where(forward_call >= 0, forward_call, call))
    first = np.full(len(name), np.iinfo(np.int64).max)
    np.minimum.at(first, number[calls], model.column("host", "start_ns")[calls])
    order = list(_tree_order(parent, first.tolist()))
    return ModuleTree(call, forward_call, module, name, ident, parent, order)


@dataclass(frozen=True)
class _Labels:
    """Labels of module calls; calls with equal name and id have the same label.

    `number` is the label of each call; `name` (a code) and `ident` are indexed by label.
    """

    number: Rows
    name: Rows
    ident: Rows


def _labels(model: TraceModel, calls: Rows) -> _Labels:
    pair = [
        model.column("host", column)[calls].astype(np.int64) for column in ("name", "module_id")
    ]
    distinct, number = np.unique(np.stack(pair), axis=1, return_inverse=True)
    return _Labels(number.reshape(-1), distinct[0], distinct[1])


def _dotted(names: list[str]) -> list[int]:
    """Return the index of the label ending in a.b, or else a, for `Type: a.b.c`; -1 for none."""
    path = [name.rpartition(": ")[2] for name in names]
    place = {one: at for at, one in reversed(list(enumerate(path)))}
    parent = []
    for one in path:
        above = one.rpartition(".")[0]
        while above and above not in place:
            above = above.rpartition(".")[0]
        parent.append(place[above] if above else -1)
    return parent


def _tree_order(parent: list[int], first: list[int]) -> Iterator[int]:
    """Return a tree in preorder, with siblings in their given order."""
    below: dict[int, list[int]] = {}
    # Reversed, since items are popped from the end of the list.
    for node in sorted(range(len(parent)), key=lambda one: (first[one], one), reverse=True):
        below.setdefault(parent[node], []).append(node)
    waiting = below.get(-1, [])
    while waiting:
        node = waiting.pop()
        yield node
        waiting += below.get(node, [])
