"""The lanes of the timeline by `nn.Module`: what each module did on every thread and stream.

Which module a slice belongs to is said in `nbprof.model.module_tree`; device work goes with its
launch. What no module called is in a last group, so that nothing is missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.module_tree import ModuleTree, sources_of_device, taken
from nbprof.timeline.lanes import Group, Lane, LaneSet, place
from nbprof.timeline.sublanes import nest_within

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.slices import Slices

Rows = npt.NDArray[np.int64]

NO_MODULE: Final = "No module"
#: What the group says where a trace holds no modules at all.
NOT_RECORDED: Final = (
    "No modules recorded. Record them with profile(with_stack=True, with_modules=True)."
)

_SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def module_lanes(model: TraceModel, slices: Slices, whole: LaneSet) -> LaneSet:
    """Return the lanes by module: a group for each, with a lane for every thread and stream.

    Parameters
    ----------
    model : TraceModel
        The trace.
    slices : Slices
        All slices of it.
    whole : LaneSet
        Its lanes by thread and stream; the slices that they show are shown here.
    """
    modules = ModuleTree.of(model)
    of_device = taken(modules.module, sources_of_device(model))
    module = np.concatenate([modules.module, of_device])
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


def _named(
    modules: ModuleTree, whole: LaneSet, found: list[tuple[int, int]]
) -> tuple[list[Group], list[Lane]]:
    """Name groups and lanes; `found` holds place of the module and lane by thread or stream."""
    labels = modules.labels()
    paths = modules.paths(labels, _SEPARATOR)
    # Names may hold anything, and their numbers may differ where they do not: keys stay distinct.
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
