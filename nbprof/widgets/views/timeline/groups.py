"""The groups of a timeline's lanes: of one trace, several workers, or a trace and its baseline."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.devices.device_rows import device_type
from nbprof.model.units import device_word, format_count
from nbprof.timeline.curves.tracks import CURVES
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.lanes.lanes import Group
from nbprof.timeline.lanes.recorded_lanes import COUNTERS, RecordedLanes
from nbprof.timeline.lanes.threads import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.timeline import Timeline
    from nbprof.widgets.views.timeline.workers import WorkerPart

#: With more counters than this, their group is collapsed at first so as not to hide the rest.
_MOST_CURVES: Final = 2

#: Groups with these prefixes correspond in order, since numbers of devices and processes differ
#: from run to run; all others by their names.
_NUMBERED: Final = ("process", "device")


def groups_of(parts: Sequence[WorkerPart], *, several: bool) -> list[dict[str, Any]]:
    """Return the groups of a timeline in the order on screen, as plain values.

    The groups of several workers are below each other, under one with the name of the worker. The
    groups of a baseline are each below the group that it corresponds to, so that what is to be
    compared is on screen together.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The workers, that on screen first.
    several : bool
        Whether there are several, or were meant to be.
    """
    baseline = next((part for part in parts if part.baseline is not None), None)
    if baseline is not None:
        sides = [_of_side(part, parts) for part in (parts[0], baseline)]
        rest = [part for part in parts[1:] if part is not baseline]
        return [*_paired(*sides), *(group for part in rest for group in _of_worker(part))]
    if several:
        return [group for part in parts for group in _of_worker(part)]
    return [asdict(group) for group in _groups(parts[0].timeline)]


def _of_worker(part: WorkerPart) -> list[dict[str, Any]]:
    """Return the groups of one of several workers, under one with its name."""
    groups = [asdict(part.group(group)) for group in _groups(part.timeline)]
    devices = any(group["key"].startswith("device:") for group in groups)
    for group in groups:
        group["detail"] = " · ".join(filter(None, (part.worker, group["detail"])))
        # The streams of all workers are on screen below each other; the rest is opened on demand.
        if devices and (not group["key"].startswith("device:") or f":{CURVES}" in group["key"]):
            group["collapsed"] = True
    key = f"worker:{part.worker}"
    words = part.alignment.words or "time 0 = its first event"
    above = {"key": key, "label": part.worker, "detail": words, "collapsed": False}
    return [above, *({**group, "within": key} for group in groups)]


def _of_side(part: WorkerPart, parts: Sequence[WorkerPart]) -> list[dict[str, Any]]:
    """Return the groups of one side of a comparison, each with the name of the side."""
    side, whose = part.name_of(parts), f"{part.run} · {part.worker}"
    groups = []
    for group in _groups(part.timeline):
        plain = asdict(part.group(group))
        plain["label"] = f"{side} · {group.label}"
        plain["detail"] = " · ".join(filter(None, (group.detail, whose)))
        groups.append(plain)
    return groups


def _paired(own: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups of two sides, those that correspond below each other."""
    waiting: defaultdict[str, deque[dict[str, Any]]] = defaultdict(deque)
    for group in other:
        waiting[_match(group)].append(group)
    found = []
    for group in own:
        found.append(group)
        if waiting[_match(group)]:
            found.append(waiting[_match(group)].popleft())
    placed = {group["key"] for group in found}
    return [*found, *(group for group in other if group["key"] not in placed)]


def _match(group: dict[str, Any]) -> str:
    """Return what two groups that correspond have in common."""
    kind, _, _ = group["key"].partition(":")
    if kind in _NUMBERED:
        part = next((part for part in (CURVES, QUIET) if f":{part}" in group["key"]), "")
        return f"{kind} {part}"
    return str(group["label"].partition(" · ")[2])


def _groups(timeline: Timeline) -> list[Group]:
    """Return the groups of the lanes, followed by groups that only have curves."""
    groups = {group.key: group for group in timeline.lanes.groups}
    missing = [track.group for track in timeline.tracks if track.group not in groups]
    if missing and timeline.group_by != "thread":
        # Curves belong to processes and devices even if lanes belong to modules.
        by_thread = {group.key: group for group in lane_set(timeline.model, "thread").groups}
        groups |= {key: by_thread[key] for key in missing if key in by_thread}
    for key in missing:
        if key not in groups:
            groups[key] = _group_of_curves(timeline.model, key, missing.count(key))
    return list(groups.values())


def _group_of_curves(model: TraceModel, key: str, curves: int) -> Group:
    """Return a group that only has curves."""
    kind, _, number = key.removesuffix(f":{CURVES}").partition(":")
    if kind == COUNTERS:
        lane = RecordedLanes.of(model).counters[int(number)]
        return Group(key, lane.group, format_count(curves, "curve"), curves > _MOST_CURVES)
    label = device_word(device_type(model)) if kind == "device" else kind.capitalize()
    detail = format_count(curves, "curve") if key.endswith(f":{CURVES}") else ""
    return Group(key, f"{label} {number}".strip(), detail)
