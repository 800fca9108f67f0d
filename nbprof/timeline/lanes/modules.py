"""Lanes by `nn.Module`: what each module did on every thread and stream.

`nbprof.model.links.module_tree` determines the module of a slice; device work belongs to its
launch. A last group contains everything outside of modules, so nothing is missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from nbprof.model.links.module_tree import ModuleTree, sources_of_device
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds
from nbprof.model.units import format_count
from nbprof.timeline.lanes.lanes import Group, Lane, LaneSet, place
from nbprof.timeline.lanes.limits import MOST_GROUPS, limited
from nbprof.timeline.lanes.sublanes import nearest_within, nest_within

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.slices import Slices

Rows = npt.NDArray[np.int64]

NO_MODULE: Final = "No module"
#: Below this number of possible values, marking those that occur is faster than sorting them.
_MOST_MARKS: Final = 1 << 25

_SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def module_lanes(model: TraceModel, slices: Slices, whole: LaneSet) -> LaneSet:
    """Return the lanes by module: a group per module, with a lane for each thread and stream.

    Parameters
    ----------
    model : TraceModel
        The trace.
    slices : Slices
        All its slices.
    whole : LaneSet
        Its lanes by thread and stream; the same slices are shown.
    """
    modules = ModuleTree.of(model)
    of_device = values_at(modules.module, sources_of_device(model))
    shown_in = _shown_in(modules)
    module = values_at(shown_in, np.concatenate([modules.module, of_device]))
    # screen position of each module; slices without one come last
    rank = np.full(len(modules.name) + 1, len(modules.name), np.int64)
    rank[modules.order] = np.arange(len(modules.name))
    pair = rank[module] * len(whole.lanes) + whole.lane
    shown = whole.lane >= 0
    pairs, number = _numbered(pair[shown], len(rank) * len(whole.lanes))
    lane = np.full(len(shown), -1, np.int32)
    lane[shown] = number
    found = [divmod(one, len(whole.lanes)) for one in pairs.tolist()]
    inside = np.bincount(shown_in, minlength=1) - 1
    no_module = "" if modules.name else model.dialect.hint("modules")
    groups, lanes = _named(modules, whole, found, inside, no_module)
    return place(slices, *limited(groups, lanes, lane), _parents(model, slices, lane))


def _numbered(values: Rows, end: int) -> tuple[Rows, Rows]:
    """Return the distinct values, all below `end`, and the index of each value among them."""
    if end > _MOST_MARKS:
        return np.unique(values, return_inverse=True)
    used = np.zeros(end, bool)
    used[values] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[values]


def _shown_in(modules: ModuleTree) -> Rows:
    """Return for each module the one whose lanes show it: itself or an ancestor.

    If there are more than `MOST_GROUPS`, the deepest levels are merged into their ancestors.
    """
    depth = np.zeros(len(modules.name), np.int64)
    for module in modules.order:  # parents come before their children
        above = modules.parent[module]
        depth[module] = depth[above] + 1 if above >= 0 else 0
    count = np.cumsum(np.bincount(depth, minlength=1))
    deepest = max(int(np.searchsorted(count, MOST_GROUPS, side="right")) - 1, 0)
    shown_in = np.arange(len(depth), dtype=np.int64)
    for module in modules.order:
        if depth[module] > deepest:
            shown_in[module] = shown_in[modules.parent[module]]
    return shown_in


def _named(
    modules: ModuleTree,
    whole: LaneSet,
    found: list[tuple[int, int]],
    inside: Rows,
    no_module: str,
) -> tuple[list[Group], list[Lane]]:
    """Create the named groups and lanes.

    `found` holds the position of the module and the lane by thread or stream. `inside` holds, by
    module, the number of other modules shown with it. `no_module` is the text beside the group of
    slices outside of modules.
    """
    labels = modules.labels()
    paths = modules.paths(labels, _SEPARATOR)
    # Names may contain anything, and equal names may have different numbers: keys stay distinct.
    quoted = [quote(label, safe=" .()[]<>") for label in labels]
    beside = Counter(zip(modules.parent, quoted, strict=True))
    numbered = [
        f"{key}#{ident}" if beside[parent, key] > 1 else key
        for key, ident, parent in zip(quoted, modules.ident, modules.parent, strict=True)
    ]
    keys = modules.paths(numbered, "/")
    places = {group.key: group.label for group in whole.groups}
    groups: list[Group] = []
    lanes: list[Lane] = []
    for at, base in found:
        if at < len(modules.order):
            module = modules.order[at]
            around = paths[module].rpartition(_SEPARATOR)[0] if modules.parent[module] >= 0 else ""
            more = format_count(int(inside[module]), "module") if inside[module] else ""
            detail = ", ".join(filter(None, [around, more and f"with {more} inside"]))
            group = Group(f"module:{keys[module]}", labels[module], detail)
        else:
            group = Group("module", NO_MODULE, no_module)
        if not groups or groups[-1].key != group.key:
            groups.append(group)
        lane = whole.lanes[base]
        where = f"{group.key}:{lane.key}"
        details = (places[lane.group] if lane.kind == "stream" else "", lane.detail)
        detail = ", ".join(filter(None, details))
        lanes.append(replace(lane, key=where, group=group.key, kind="module", detail=detail))
    return groups, lanes


def _parents(model: TraceModel, slices: Slices, lane: npt.NDArray[np.int32]) -> Rows:
    """Return the nearest slice around each one in its own lane, -1 for none."""
    parent = np.full(len(lane), -1, np.int64)
    parent[: slices.host_rows] = nearest_within(model.nesting.parent, lane)
    is_range = model.column("device", "kind") == kinds.DEVICE_ANNOTATION
    ranges = slices.host_rows + np.flatnonzero(is_range)
    parent[ranges], _ = nest_within(slices, ranges, lane[ranges])
    return parent
