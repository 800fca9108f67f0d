"""Layout of a timeline, independent of the window: lanes, curves, steps and the minimap."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.devices.device_rows import device_type, work_rows
from nbprof.model.filters import selection
from nbprof.model.units import device_word, format_count
from nbprof.timeline.curves.tracks import CURVES
from nbprof.timeline.details.flows import flow_kinds
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.lanes.lanes import Group
from nbprof.timeline.lanes.recorded_lanes import COUNTERS, RecordedLanes
from nbprof.widgets.hints.hints import hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.timeline import Timeline

#: Fields of a curve in the layout; its points are requested by window.
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


#: With more counters than this, their group is collapsed at first so as not to hide the rest.
_MOST_CURVES: Final = 2


def layout(timeline: Timeline) -> dict[str, Any]:
    """Return the ``Layout`` of `js/src/views/timeline/data/messages.ts`, as plain values."""
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
        "flows": flow_kinds(timeline.model),
        "minimap": {
            "columns": minimap.columns,
            "bands": [{"group": band.group, "label": band.label} for band in minimap.bands],
        },
        "empty": "" if lanes.lanes or timeline.tracks else hint(timeline.model, "slices"),
    }


def end_ns(timeline: Timeline) -> int:
    """Return the end of the last event, at least 1."""
    return max(int(timeline.model.metadata.get("end_ns", 0)), 1)


def _groups(timeline: Timeline) -> list[Group]:
    """Return the groups of the lanes, followed by groups that only have curves."""
    found = {group.key: group for group in timeline.lanes.groups}
    missing = [track.group for track in timeline.tracks if track.group not in found]
    if missing and timeline.group_by != "thread":
        # Curves belong to processes and devices even if lanes belong to modules.
        by_thread = {group.key: group for group in lane_set(timeline.model, "thread").groups}
        found |= {key: by_thread[key] for key in missing if key in by_thread}
    for key in missing:
        if key not in found:
            found[key] = _group_of_curves(timeline.model, key, missing.count(key))
    return list(found.values())


def _group_of_curves(model: TraceModel, key: str, curves: int) -> Group:
    """Return a group that only has curves."""
    kind, _, number = key.removesuffix(f":{CURVES}").partition(":")
    if kind == COUNTERS:
        lane = RecordedLanes.of(model).counters[int(number)]
        return Group(key, lane.group, format_count(curves, "curve"), curves > _MOST_CURVES)
    label = device_word(device_type(model)) if kind == "device" else kind.capitalize()
    detail = format_count(curves, "curve") if key.endswith(f":{CURVES}") else ""
    return Group(key, f"{label} {number}".strip(), detail)


def _track(track: Track) -> dict[str, Any]:
    return {field: getattr(track, field) for field in _TRACK_FIELDS}


def _steps(model: TraceModel) -> list[dict[str, Any]]:
    """Return the steps as recorded on the host, each with the extent of its device work.

    The device lags behind the host, so each lane shows the steps of its side. A step in the table
    ``steps`` lasts from its start on the host to the later of both ends.
    """
    steps = model.steps
    if not steps.recorded:
        return []
    start, end = _device_extents(model)
    columns = (steps.number, steps.host_start_ns, steps.host_end_ns, start, end)
    return [
        {
            "step": number,
            "start_ns": host_start,
            "end_ns": host_end,
            "device": {"start_ns": first, "end_ns": last} if first < last else None,
        }
        for number, host_start, host_end, first, last in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _device_extents(model: TraceModel) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of the device work of each step; start > end if there is none."""
    count = len(model.steps.number)
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, np.iinfo(np.int64).min)
    step = selection.step_of_device_rows(model)
    rows = np.flatnonzero((step >= 0) & work_rows(model))
    start = model.column("device", "start_ns")[rows]
    np.minimum.at(first, step[rows], start)
    np.maximum.at(last, step[rows], start + model.column("device", "duration_ns")[rows])
    return first, last
