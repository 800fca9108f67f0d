"""All curves under the lanes: utilization, memory, launch queues, and counters of the trace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np

from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.memory.components import whole_of
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.trace import kinds
from nbprof.model.units import format_bytes, format_number
from nbprof.timeline.curves.launch_queue import queue_length, queued_rows
from nbprof.timeline.curves.step_functions import Track, TrackColumns, reduce, without_repeats
from nbprof.timeline.curves.utilization import sm_efficiency, utilization
from nbprof.timeline.lanes.recorded_lanes import COUNTERS, RecordedLanes, are_streams

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.curves.step_functions import Times, Values

__all__ = ["Track", "TrackColumns", "reduce", "tracks"]

#: Prefixes of group keys, in the order on screen.
_GROUPS: Final = ("process", "device", COUNTERS)

#: Suffix of the keys of groups that hold a device's curves.
CURVES: Final = "curves"

#: Names of series that contain their unit, such as ``Read(MB/s)``.
_UNIT: Final = re.compile(r"(.*?) ?\((.+)\)", re.DOTALL)

#: Characters that are not quoted in keys.
_PLAIN: Final = " .()[]<>/"


def tracks(model: TraceModel) -> tuple[Track, ...]:
    """Return all curves of a trace, those of processes first, then device by device; cached.

    The utilization of a device is in the group of its streams. Its other curves are in a group of
    their own, which the timeline shows after the threads.
    """
    return model.cached("tracks", lambda: _all(model))


def _curves_of(device: int) -> str:
    """Return the key of the group of a device's curves."""
    return f"device:{device}:{CURVES}"


def _all(model: TraceModel) -> tuple[Track, ...]:
    found = [*_utilizations(model), *_memories(model), *_queues(model), *_counters(model)]
    groups = list(dict.fromkeys(track.group for track in found))
    groups.sort(key=_group_order)
    return tuple(track for group in groups for track in found if track.group == group)


def _group_order(group: str) -> tuple[int, int, str]:
    name, _, number = group.removesuffix(f":{CURVES}").partition(":")
    order = _GROUPS.index(name) if name in _GROUPS else len(_GROUPS)
    return order, int(number) if number.lstrip("-").isdigit() else 0, number


def _utilizations(model: TraceModel) -> list[Track]:
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    found = []
    for device in np.unique(model.column("device", "device")[is_kernel]).tolist():
        for name, label, group, make in (
            ("utilization", "Utilization", f"device:{device}", utilization),
            ("sm_efficiency", "Est. SM efficiency", _curves_of(device), sm_efficiency),
        ):
            times, values = make(model, device)
            if len(times):
                found.append(
                    Track(
                        key=f"{name}:{device}",
                        group=group,
                        label=label,
                        detail="0 to 100 %",
                        unit="%",
                        low=0.0,
                        high=100.0,
                        device=device,
                        stream=None,
                        times=times,
                        values=values,
                    )
                )
    return found


def _memories(model: TraceModel) -> list[Track]:
    found = []
    both = zip(memory_devices(model), memory_totals(model), strict=True)
    for index, (memory, totals) in enumerate(both):
        if not len(totals.time_ns):
            continue  # only its components are known
        allocated = totals.allocated.astype(np.float64)
        times, values = without_repeats(totals.time_ns, allocated)
        stated = bool((model.column("memory", "total_allocated")[memory.rows] >= 0).any())
        known = stated or whole_of(model, index) is not None
        low, high = _scale(values)
        detail = _range_text(values, "bytes")
        cpu, number = memory.is_cpu, memory.number
        name = memory.type_name or "device"
        # The devices with lanes are those of the trace's device rows.
        shown = name == device_type(model) or name.startswith("device")
        found.append(
            Track(
                key=f"allocated:{name}:{number}",
                group=_process(model) if cpu else _curves_of(number),
                label="Allocated" if known else "Allocated since the start",
                detail=detail if cpu or shown else f"{name} {number}, {detail}",
                unit="bytes",
                low=low,
                high=high,
                device=None if cpu else number,
                stream=None,
                times=times,
                values=values,
            )
        )
    return found


def _queues(model: TraceModel) -> list[Track]:
    rows = queued_rows(model)
    device = model.column("device", "device")[rows]
    stream = model.column("device", "stream")[rows]
    found = []
    # Lanes that a recorder draws beside streams have no launch queue.
    on_streams = are_streams(stream)
    rows, device, stream = rows[on_streams], device[on_streams], stream[on_streams]
    pairs = np.unique(np.stack([device.astype(np.int64), stream]), axis=1).T.tolist()
    for one_device, one_stream in pairs:
        here = rows[(device == one_device) & (stream == one_stream)]
        times, values = queue_length(model, here)
        longest = float(values.max(initial=0.0))
        found.append(
            Track(
                key=f"queue:{one_device}:{one_stream}",
                group=_curves_of(one_device),
                label=f"Queue of stream {one_stream}",
                detail=f"launched, not begun; up to {format_number(longest)}",
                unit="",
                low=0.0,
                high=max(longest, 1.0),
                device=one_device,
                stream=one_stream,
                times=times,
                values=values,
            )
        )
    return found


def _counters(model: TraceModel) -> list[Track]:
    """Return the counters written by the recorder, one curve per series."""
    value = model.column("counters", "value")
    pid = model.column("counters", "pid")
    name, series = model.column("counters", "name"), model.column("counters", "series")
    rows = np.flatnonzero(np.isfinite(value) & (name >= 0))
    if len(rows) == 0:
        return []
    names, all_series = model.values("counters", "name"), model.values("counters", "series")
    # A missing name and an empty name are the same series.
    series = np.where(series < 0, all_series.index("") if "" in all_series else -1, series)
    key = np.stack([pid[rows], name[rows].astype(np.int64), series[rows].astype(np.int64)])
    distinct, of, counts = np.unique(key, axis=1, return_inverse=True, return_counts=True)
    rows = rows[np.argsort(of.reshape(-1), kind="stable")]
    groups = {pid: _group_of_counter(model, pid) for pid in np.unique(distinct[0]).tolist()}
    found = []
    for here, (process, name_code, series_code) in zip(
        np.split(rows, np.cumsum(counts)[:-1]), distinct.T.tolist(), strict=True
    ):
        times: Times = model.column("counters", "time_ns")[here]
        values: Values = value[here]
        times, values = without_repeats(times, values)
        text = names[name_code]
        part = all_series[series_code] if series_code >= 0 else ""
        group, device = groups[process]
        low, high = _scale(values)
        found.append(
            Track(
                # Names may contain colons, so they are quoted to keep keys distinct.
                key=f"counter:{process}:{quote(text, safe=_PLAIN)}:{quote(part, safe=_PLAIN)}",
                group=group,
                label=_label(text, part),
                detail=_range_text(values, ""),
                unit="",
                low=low,
                high=high,
                device=device,
                stream=None,
                times=times,
                values=values,
            )
        )
    return found


def _label(name: str, series: str) -> str:
    """Return the label of a series, with its unit in parentheses after the name."""
    unit = _UNIT.fullmatch(series)
    if unit and name.endswith(unit[1]):
        return f"{name} ({unit[2]})"
    return name if series in ("", name) else f"{name}, {series}"


def _group_of_counter(model: TraceModel, pid: int) -> tuple[str, int | None]:
    """Return the group of a counter: the recorder's, its process, or the device with its number."""
    if pid in RecordedLanes.of(model).counters:
        return f"{COUNTERS}:{pid}", None
    if str(pid) in model.tables["threads"].column("pid").to_pylist():
        return f"process:{pid}", None
    if pid in model.column("device", "device"):
        return _curves_of(pid), pid
    return _process(model), None


def _process(model: TraceModel) -> str:
    """Return the group of the recorded process, the one of the thread with most slices."""
    pids = model.tables["threads"].column("pid").to_pylist()
    slices = np.bincount(model.column("host", "thread"), minlength=max(len(pids), 1))
    return f"process:{pids[int(np.argmax(slices))]}" if pids else "process:"


def _scale(values: Values) -> tuple[float, float]:
    """Return the ends of a scale that includes 0 and is not empty."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    return (low, high) if low < high else (0.0, 1.0)


def _range_text(values: Values, unit: str) -> str:
    low, high = float(values.min()), float(values.max())
    if unit == "bytes":
        return f"{format_bytes(low)} to {format_bytes(high)}"
    decimals = 0 if low.is_integer() and high.is_integer() else 2
    return f"{format_number(low, decimals)} to {format_number(high, decimals)}"
