"""The lanes of the timeline by `nn.Module`: what each module did on every thread and stream.

A slice belongs to the innermost module that was running when it started on its thread; device work
goes with its launch. The backward pass runs without modules round it: it belongs to the module of
its forward operator. What no module called is in a last group, so that nothing is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.backward import forward_rows
from nbprof.model.nesting import depths, nearest_ancestor
from nbprof.timeline.lanes import Group, Lane, LaneSet, lane_set, place
from nbprof.timeline.sublanes import nest_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.slices import Slices

Rows = npt.NDArray[np.int64]

NO_MODULE: Final = "No module"
#: What the group says where a trace holds no modules at all.
NOT_RECORDED: Final = (
    "No modules recorded. Record them with profile(with_stack=True, with_modules=True)."
)

_PREFIX: Final = "nn.Module: "
_SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


@dataclass(frozen=True)
class Modules:
    """The modules of a trace, those with the same modules round them and the same name being one.

    Attributes
    ----------
    of_host : ndarray of int64, shape (host rows,)
        The module that each host row belongs to, -1 for none.
    name : list of str
        Of every module, as the trace has it.
    parent : list of int
        The module round each one, -1 at the top.
    order : list of int
        The modules as a tree is read, those of one parent by when they first ran.
    """

    of_host: Rows
    name: list[str]
    parent: list[int]
    order: list[int]

    @classmethod
    def of(cls, model: TraceModel) -> Modules:
        """Find the modules of a trace, once."""
        return model.cached("modules", lambda: _find(model))

    def labels(self) -> list[str]:
        """Return what each module is called."""
        return [name.removeprefix(_PREFIX) for name in self.name]

    def paths(self, names: list[str], separator: str) -> list[str]:
        """Return for each module some names of it and all round it, joined, outermost first."""
        paths = [""] * len(names)
        for module in self.order:  # a parent comes before what is inside it
            above = self.parent[module]
            paths[module] = names[module] if above < 0 else paths[above] + separator + names[module]
        return paths


def module_lanes(model: TraceModel, slices: Slices) -> LaneSet:
    """Return the lanes by module: a group for each, with a lane for every thread and stream.

    The slices shown are those that `lane_set(model, "thread")` shows.

    Parameters
    ----------
    model : TraceModel
        The trace.
    slices : Slices
        All slices of it.
    """
    modules = Modules.of(model)
    whole = lane_set(model, "thread")
    module = np.concatenate([modules.of_host, _of_device(model, modules.of_host)])
    # The place of each module on the screen; what has none comes last.
    rank = np.full(len(modules.name) + 1, len(modules.name), np.int64)
    rank[modules.order] = np.arange(len(modules.name))
    pair = rank[module] * len(whole.lanes) + whole.lane
    shown = whole.lane >= 0
    used = np.zeros(len(rank) * len(whole.lanes), bool)
    used[pair[shown]] = True
    number = np.cumsum(used, dtype=np.int32) - 1
    lane = np.where(shown, number[np.where(shown, pair, 0)], -1) if len(used) else whole.lane
    found = [divmod(one, len(whole.lanes)) for one in np.flatnonzero(used).tolist()]
    groups, lanes = _named(modules, whole, found)
    return place(slices, groups, lanes, lane.astype(np.int32), _parents(model, slices, lane))


def _find(model: TraceModel) -> Modules:
    is_module = model.column("host", "kind") == kinds.MODULE
    above = nearest_ancestor(model.nesting.parent, is_module)
    rows = np.flatnonzero(is_module)
    of_host, name, parent = _merge(model, rows, above)
    inner = np.where(above >= 0, of_host[above], -1) if len(above) else above
    of_host = np.where(is_module, of_host, inner)
    forward = forward_rows(model)
    of_forward = np.where(forward >= 0, of_host[forward], -1) if len(forward) else forward
    first = np.full(len(name), np.iinfo(np.int64).max)
    np.minimum.at(first, of_host[rows], model.column("host", "start_ns")[rows])
    order = list(_tree_order(parent, first.tolist()))
    of_host = np.where((of_forward >= 0) & ~is_module, of_forward, of_host)
    names = model.values("host", "name")
    return Modules(of_host, [names[code] if code >= 0 else "" for code in name], parent, order)


def _merge(model: TraceModel, rows: Rows, above: Rows) -> tuple[Rows, list[int], list[int]]:
    """Give calls with the same modules round them and the same name one number.

    Returns that number for every host row (-1 for rows that are no module), and name code and
    parent by number.
    """
    number = np.full(len(above), -1, np.int64)
    width = len(model.values("host", "name")) + 1
    depth = depths(above)[rows]
    by_depth = rows[np.argsort(depth, kind="stable")]
    bounds = np.searchsorted(np.sort(depth), np.arange(1, depth.max(initial=0) + 1))
    name: list[int] = []
    parent: list[int] = []
    for level in np.split(by_depth, bounds):  # as many as modules are nested
        outer = np.where(above[level] >= 0, number[above[level]], -1)
        key = (outer + 1) * width + model.column("host", "name")[level] + 1
        distinct, place_in_level = np.unique(key, return_inverse=True)
        number[level] = len(name) + place_in_level
        name += (distinct % width - 1).tolist()
        parent += (distinct // width - 1).tolist()
    return number, name, parent


def _tree_order(parent: list[int], first: list[int]) -> Iterator[int]:
    """Go through a tree from the top, each node before what is below it, earlier ones first."""
    below: dict[int, list[int]] = {}
    # Turned round: what is taken from the end of a list comes first.
    for node in sorted(range(len(parent)), key=lambda one: (first[one], one), reverse=True):
        below.setdefault(parent[node], []).append(node)
    waiting = below.get(-1, [])
    while waiting:
        node = waiting.pop()
        yield node
        waiting += below.get(node, [])


def _of_device(model: TraceModel, of_host: Rows) -> Rows:
    """Return the module of every device row: that of its launch, else of its operator."""
    links = model.links
    source = np.where(links.launch >= 0, links.launch, links.operator)
    return np.where(source >= 0, of_host[source], -1) if len(of_host) else source


def _named(
    modules: Modules, whole: LaneSet, found: list[tuple[int, int]]
) -> tuple[list[Group], list[Lane]]:
    """Name groups and lanes; `found` holds place of the module and lane by thread or stream."""
    labels = modules.labels()
    paths = modules.paths(labels, _SEPARATOR)
    # Names may hold anything: keys must stay distinct.
    keys = modules.paths([quote(label, safe=" .()[]<>") for label in labels], "/")
    places = {group.key: group.label for group in whole.groups}
    groups: list[Group] = []
    lanes: list[Lane] = []
    for at, base in found:
        if at < len(modules.order):
            module = modules.order[at]
            around = paths[module].rpartition(_SEPARATOR)[0] if modules.parent[module] >= 0 else ""
            group = Group(f"module:{keys[module]}", labels[module], around)
        else:
            group = Group("module", NO_MODULE, "" if modules.name else NOT_RECORDED)
        if not groups or groups[-1].key != group.key:
            groups.append(group)
        lane = whole.lanes[base]
        where = f"{group.key}:{lane.key}"
        details = (places[lane.group] if lane.kind == "stream" else "", lane.detail)
        detail = ", ".join(filter(None, details))
        lanes.append(replace(lane, key=where, group=group.key, kind="module", detail=detail))
    return groups, lanes


def _parents(model: TraceModel, slices: Slices, lane: npt.NDArray[np.int32]) -> Rows:
    """Return the nearest slice round each one that is in its own lane, -1 without one."""
    parent = np.full(len(lane), -1, np.int64)
    above = model.nesting.parent
    nearest = above.copy()
    moving = np.flatnonzero(nearest >= 0)
    while len(moving):
        moving = moving[lane[nearest[moving]] != lane[moving]]
        nearest[moving] = above[nearest[moving]]
        moving = moving[nearest[moving] >= 0]
    parent[: slices.host_rows] = nearest
    is_range = model.column("device", "kind") == kinds.DEVICE_ANNOTATION
    ranges = slices.host_rows + np.flatnonzero(is_range)
    parent[ranges], _ = nest_within(slices, ranges, lane[ranges])
    return parent
