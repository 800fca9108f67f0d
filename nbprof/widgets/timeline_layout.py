"""What there is to draw in a timeline, whatever the window: lanes, curves, steps, the minimap."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.device_rows import device_type
from nbprof.model.units import format_count
from nbprof.timeline.lane_sets import lane_set
from nbprof.timeline.lanes import Group
from nbprof.timeline.recorded_lanes import COUNTERS, RecordedLanes
from nbprof.widgets.hints import hint

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.timeline import Timeline
    from nbprof.timeline.tracks import Track

#: What of a curve is drawn beside it; its points are asked for by window.
_TRACK_FIELDS: Final = (
    "key",
    "group",
    "label",
    "detail",
    "unit",
    "low",
    "high",
    "device",
    "stream",
)


#: More curves of counters would bury the rest; their group is closed at first.
_MOST_CURVES: Final = 2


def layout(timeline: Timeline) -> dict[str, Any]:
    """Return the ``Layout`` of `js/src/timeline/messages.ts`, as plain values."""
    lanes = timeline.lanes
    minimap = timeline.minimap
    return {
        "group_by": timeline.group_by,
        "start_ns": 0,
        "end_ns": end_ns(timeline),
        "host_rows": timeline.slices.host_rows,
        "groups": [asdict(group) for group in _groups(timeline)],
        "lanes": [asdict(lane) for lane in lanes.lanes],
        "tracks": [_track(track) for track in timeline.tracks],
        "steps": _steps(timeline.model),
        "slices": sum(lane.slices for lane in lanes.lanes),
        "moved": lanes.moved,
        "minimap": {
            "columns": minimap.columns,
            "bands": [{"group": band.group, "label": band.label} for band in minimap.bands],
        },
        "empty": "" if lanes.lanes or timeline.tracks else hint(timeline.model, "slices"),
    }


def end_ns(timeline: Timeline) -> int:
    """Return the end of the last event, 1 at least."""
    return max(int(timeline.model.metadata.get("end_ns", 0)), 1)


def _groups(timeline: Timeline) -> list[Group]:
    """Return the groups of the lanes, then those that only curves belong to."""
    found = {group.key: group for group in timeline.lanes.groups}
    missing = [track.group for track in timeline.tracks if track.group not in found]
    if missing and timeline.group_by != "thread":
        # Curves belong to processes and devices, also where lanes belong to modules.
        by_thread = {group.key: group for group in lane_set(timeline.model, "thread").groups}
        found |= {key: by_thread[key] for key in missing if key in by_thread}
    for key in missing:
        if key not in found:
            found[key] = _group_of_curves(timeline.model, key, missing.count(key))
    return list(found.values())


def _group_of_curves(model: TraceModel, key: str, curves: int) -> Group:
    """Return a group to which only curves belong, and as many as that."""
    kind, _, number = key.partition(":")
    if kind == COUNTERS:
        lane = RecordedLanes.of(model).counters[int(number)]
        return Group(key, lane.group, format_count(curves, "curve"), curves > _MOST_CURVES)
    label = device_type(model).upper() if kind == "device" else kind.capitalize()
    return Group(key, f"{label} {number}".strip(), "")


def _track(track: Track) -> dict[str, Any]:
    return {field: getattr(track, field) for field in _TRACK_FIELDS}


def _steps(model: TraceModel) -> list[dict[str, int]]:
    """Return the steps with their device work, as in the table ``steps``; they are disjoint."""
    steps = model.steps
    if not steps.recorded:
        return []
    columns = (steps.number, steps.start_ns, steps.end_ns)
    return [
        {"step": number, "start_ns": start, "end_ns": end}
        for number, start, end in zip(*(c.tolist() for c in columns), strict=True)
    ]
