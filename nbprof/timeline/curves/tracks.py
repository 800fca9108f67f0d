"""All curves under the lanes: utilization, memory, launch queues, and counters of the trace."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.memory.components import all_allocators
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.names.short_names import middle_cut
from nbprof.model.trace import kinds
from nbprof.model.units import format_bytes, format_number
from nbprof.timeline.curves.launch_queue import queue_length, queued_rows
from nbprof.timeline.curves.step_functions import TrackColumns, without_repeats
from nbprof.timeline.curves.track import Track, reduce
from nbprof.timeline.curves.utilization import Utilization, sm_efficiency
from nbprof.timeline.lanes.limits import short_key
from nbprof.timeline.lanes.recorded_lanes import COUNTERS, RecordedLanes, are_streams

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.curves.step_functions import Times, Values

    Rows = npt.NDArray[np.int64]

__all__ = ["Track", "TrackColumns", "reduce", "tracks"]

#: Prefixes of group keys, in the order on screen.
_GROUPS: Final = ("process", "device", COUNTERS)

#: Suffix of the keys of groups that hold a device's curves.
CURVES: Final = "curves"

#: Maximum number of curves of each kind, such as queues; a screen holds far fewer.
MOST_CURVES: Final = 1000

#: Maximum characters of the name of a curve.
_LABEL: Final = 200

#: Characters that are not quoted in keys.
_PLAIN: Final = " .()[]<>/"


def tracks(model: TraceModel) -> tuple[Track, ...]:
    """Return all curves of a trace, those of processes first, then device by device; cached.

    The utilization of a device is in the group of its streams. Its other curves are in a group of
    their own, which the timeline shows after the threads.
    """
    return model.cached("tracks", lambda: _compute_tracks(model))


def curves_left_out(model: TraceModel) -> int:
    """Return how many curves there are beyond the limit of each kind."""
    kernels = model.column("device", "kind") == kinds.KERNEL
    devices = np.unique(model.column("device", "device")[kernels])
    numbers = (len(devices), _places_of_queues(model)[1].shape[1], _series(model)[1].shape[1])
    return sum(max(number - MOST_CURVES, 0) for number in (*numbers, len(memory_devices(model))))


def _curves_of(device: int) -> str:
    """Return the key of the group of a device's curves."""
    return f"device:{device}:{CURVES}"


def _compute_tracks(model: TraceModel) -> tuple[Track, ...]:
    found = [*_utilizations(model), *_memories(model), *_queues(model), *_counters(model)]
    groups = list(dict.fromkeys(track.group for track in found))
    groups.sort(key=_group_order)
    place = {group: number for number, group in enumerate(groups)}
    return tuple(sorted(found, key=lambda track: place[track.group]))


def _group_order(group: str) -> tuple[int, int, str]:
    name, _, number = group.removesuffix(f":{CURVES}").partition(":")
    order = _GROUPS.index(name) if name in _GROUPS else len(_GROUPS)
    return order, int(number) if number.lstrip("-").isdigit() else 0, number


def _utilizations(model: TraceModel) -> list[Track]:
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    found = []
    # Each is computed from all device rows, so there is one for the first devices only.
    for device in np.unique(model.column("device", "device")[is_kernel])[:MOST_CURVES].tolist():
        share = Utilization.of(model, device)
        for name, label, group, (times, values), finer in (
            ("utilization", "Utilization", f"device:{device}", share.curve(), share),
            (
                "sm_efficiency",
                "Est. SM efficiency",
                _curves_of(device),
                sm_efficiency(model, device),
                None,
            ),
        ):
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
                        finer=finer,
                    )
                )
    return found


def _memories(model: TraceModel) -> list[Track]:
    found = []
    both = zip(memory_devices(model), memory_totals(model), strict=True)
    for index, (memory, totals) in itertools.islice(enumerate(both), MOST_CURVES):
        if not len(totals.time_ns):
            continue  # only its components are known
        allocated = totals.allocated.astype(np.float64)
        times, values = without_repeats(totals.time_ns, allocated)
        stated = bool((model.column("memory", "total_allocated")[memory.rows] >= 0).any())
        known = stated or all_allocators(model, index) is not None
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


def _places_of_queues(model: TraceModel) -> tuple[list[Rows], npt.NDArray[np.int64]]:
    """Return the rows of each queue up to the limit, and device and stream of all queues."""
    rows = queued_rows(model)
    device = model.column("device", "device")[rows]
    stream = model.column("device", "stream")[rows]
    # Lanes that a recorder draws beside streams have no launch queue.
    on_streams = are_streams(stream)
    rows, device, stream = rows[on_streams], device[on_streams], stream[on_streams]
    return _parted(rows, np.stack([device.astype(np.int64), stream]))


def _parted(rows: Rows, key: npt.NDArray[np.int64]) -> tuple[list[Rows], npt.NDArray[np.int64]]:
    """Return the rows of each key up to the limit of curves, and all distinct keys."""
    keys, of, counts = np.unique(key, axis=1, return_inverse=True, return_counts=True)
    counts = counts[:MOST_CURVES]
    by_key = rows[np.argsort(of.reshape(-1), kind="stable")][: int(counts.sum())]
    return np.split(by_key, np.cumsum(counts)[:-1]) if len(counts) else [], keys


def _queues(model: TraceModel) -> list[Track]:
    found = []
    parts, places = _places_of_queues(model)
    for here, (one_device, one_stream) in zip(parts, places.T.tolist(), strict=False):
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
    names, all_series = model.values("counters", "name"), model.values("counters", "series")
    parts, distinct = _series(model)
    shown = distinct[:, : len(parts)]
    groups = {pid: _group_of_counter(model, pid) for pid in np.unique(shown[0]).tolist()}
    found = []
    for here, (process, name_code, series_code) in zip(parts, shown.T.tolist(), strict=True):
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
                key=short_key(
                    f"counter:{process}:{quote(text, safe=_PLAIN)}:{quote(part, safe=_PLAIN)}"
                ),
                group=group,
                label=middle_cut(_label(text, part), _LABEL),
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


def _series(model: TraceModel) -> tuple[list[Rows], npt.NDArray[np.int64]]:
    """Return the rows of each counter up to the limit, and process, name and series of all."""
    name, series = model.column("counters", "name"), model.column("counters", "series")
    rows = np.flatnonzero(np.isfinite(model.column("counters", "value")) & (name >= 0))
    all_series = model.values("counters", "series")
    # A missing name and an empty name are the same series.
    series = np.where(series < 0, all_series.index("") if "" in all_series else -1, series)
    pid = model.column("counters", "pid")
    key = [pid[rows], name[rows].astype(np.int64), series[rows].astype(np.int64)]
    return _parted(rows, np.stack(key))


def _label(name: str, series: str) -> str:
    """Return the label of a series, with its unit in parentheses after the name."""
    before, _, unit = series.partition("(")  # as in Read(MB/s)
    if len(unit) > 1 and unit.endswith(")") and name.endswith(before.removesuffix(" ")):
        return f"{name} ({unit}"
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
    return short_key(f"process:{pids[int(np.argmax(slices))]}" if pids else "process:")


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
