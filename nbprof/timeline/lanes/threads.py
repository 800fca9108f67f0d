"""Lanes by thread and stream: one for every stream of a device and every thread of a process.

Devices come first, then the threads that launch their work, then the others. The Python frames of a
thread are in a lane of their own, above that of what they called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import device_type
from nbprof.model.links.nesting import depths
from nbprof.model.lookup import rows_of_values
from nbprof.model.names.roles import overhead_threads
from nbprof.model.trace import kinds
from nbprof.model.trace.device_properties import device_properties
from nbprof.model.trace.event_types import USER, has_types, rows_of_types
from nbprof.model.units import device_label, format_count, format_number
from nbprof.timeline.lanes.lanes import Group, Lane, LaneSet, place
from nbprof.timeline.lanes.limits import limited
from nbprof.timeline.lanes.recorded_lanes import PLANES, RecordedLanes, are_streams
from nbprof.timeline.lanes.sublanes import nearest_within, nest_within

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.slices import Slices

Codes = npt.NDArray[np.int32]

#: Thread names as recorded, with the operating system's name in parentheses.
_THREAD_NAME: Final = re.compile(r"thread -?\d+ \((.*)\)", re.DOTALL)

#: Event types that Paddle puts on the Python lane of a thread; all others are on the C++ lane.
_PYTHON_TYPES: Final = (
    "ProfileStep",
    "Forward",
    "Backward",
    "Dataloader",
    "Optimization",
    "PythonOp",
    USER,
)
#: Key suffixes and labels of these two lanes, and the noun for the rows of a folded lane.
_PARTS: Final = ((":python", "Python", ""), ("", "C++", ""))
#: The same for other recorders, whose Python frames are often many.
_FRAMES: Final = ((":frames", "Python frames", "Python frame"), ("", "", ""))

#: Suffix of the keys of groups that hold a device's streams with little work.
QUIET: Final = "quiet"
#: A device has such a group if it has more streams, and at least so many of little work.
_MANY_STREAMS: Final = 4
_LEAST_QUIET: Final = 3
#: Little work: at most these shares of the slices of the device's streams, and of their time.
_FEW_SLICES: Final = 0.02
_LITTLE_TIME: Final = 0.1

#: Kinds on a stream that are not work have separate lanes: ranges around kernels, and waits during
#: which kernels run.
_ASIDE: Final = {
    0: ("", ""),
    1: (":annotations", "annotations"),
    2: (":sync", "synchronization"),
}


def thread_lanes(model: TraceModel, slices: Slices) -> LaneSet:
    """Return the lanes by thread and stream: devices first, then processes."""
    part = _parts(model)
    groups, lanes, device, aside = _streams(model)
    host_groups, host_lanes, host = _threads(model, part, len(lanes))
    lane = np.concatenate([host, device])
    parent = np.full(len(lane), -1, np.int64)
    nesting = np.zeros(len(lane), np.int64)
    parent[: slices.host_rows] = model.nesting.parent
    nesting[: slices.host_rows] = model.nesting.depth
    if part is not None:  # a slice may be in another lane than the slice around it
        parent[: slices.host_rows] = nearest_within(model.nesting.parent, host)
        nesting[: slices.host_rows] = depths(parent[: slices.host_rows])
    ranges = slices.host_rows + np.flatnonzero(aside == 1)
    parent[ranges], nesting[ranges] = nest_within(slices, ranges, lane[ranges])
    groups, lanes = [*groups, *host_groups], [*lanes, *host_lanes]
    return place(slices, *limited(groups, lanes, lane), parent, nesting=nesting)


def _parts(model: TraceModel) -> npt.NDArray[np.bool_] | None:
    """Return which host rows are not in the first lane of their thread; None if threads have one.

    The first lane holds Python frames, or what a recorder calls Python rather than C++.
    """
    if has_types(model):
        return ~rows_of_types(model, *_PYTHON_TYPES)
    part = model.column("host", "kind") != kinds.PYTHON
    return None if part.all() else part


def _launching(model: TraceModel) -> npt.NDArray[np.bool_]:
    """Return which threads launch device work: those of its operators, or of its calls."""
    links = model.links
    source = np.where(links.operator >= 0, links.operator, links.launch)
    launches = np.zeros(model.tables["threads"].num_rows, bool)
    launches[model.column("host", "thread")[source[source >= 0]]] = True
    return launches


def _threads(
    model: TraceModel, part: npt.NDArray[np.bool_] | None, first_lane: int
) -> tuple[list[Group], list[Lane], Codes]:
    """Return groups, lanes, and the lane of every host row."""
    recorded = RecordedLanes.of(model).threads
    thread = model.column("host", "thread")
    table = model.tables["threads"].to_pylist()
    slices = np.bincount(thread, minlength=len(table))
    steps = np.bincount(
        thread[model.column("host", "kind") == kinds.STEP], minlength=len(table)
    ).tolist()
    backward = np.bincount(
        thread[model.column("host", "forward_thread") > 0], minlength=len(table)
    ).tolist()
    of_process: dict[str, int] = {}
    for row, found in zip(table, slices.tolist(), strict=True):
        of_process[row["pid"]] = of_process.get(row["pid"], 0) + found
    used = [number for number, found in enumerate(slices.tolist()) if found]
    only_overhead = overhead_threads(model)
    launching = _launching(model)
    idle = {row["pid"] for row in table} - {table[i]["pid"] for i in np.flatnonzero(launching)}

    def place_of(number: int) -> tuple[int, bool, bool, int, str, bool, bool, int, int]:
        pid, tid = table[number]["pid"], table[number]["tid"]
        rank = recorded[number].rank if number in recorded else len(recorded)
        process = rank, bool(only_overhead[number]), pid in idle, -of_process[pid], pid
        worker = not launching[number], str(tid) != pid
        return *process, *worker, -steps[number], -int(slices[number])

    used.sort(key=place_of)
    groups: list[Group] = []
    lanes: list[Lane] = []
    place_in_order = np.full((len(table), 2), -1, np.int32)
    written = _parts_with_slices(thread, part, len(table))
    parts = _PARTS if has_types(model) else _FRAMES
    of_pid: dict[str, list[int]] = {}
    for number in used:
        of_pid.setdefault(table[number]["pid"], []).append(number)
    for pid, threads in of_pid.items():
        programs = [_system_name(table[number]["name"]) for number in threads]
        program = next((name for name in programs if name.startswith("python")), "")
        key = f"process:{pid}"
        named = dict.fromkeys(recorded[number].group for number in threads if number in recorded)
        label = ", ".join(named) or _process_label(pid, program)
        if only_overhead[threads].all():
            groups.append(Group(key, "Profiler", "its own work, on any thread"))
        else:
            groups.append(Group(key, label, f"CPU, {format_count(len(threads), 'thread')}"))
        for number, own_name in zip(threads, programs, strict=True):
            tid = table[number]["tid"]
            title = recorded[number].name if number in recorded else f"Thread {tid}"
            title = "Overhead" if only_overhead[number] else title
            if str(tid) == pid:
                detail = "main"
            elif backward[number] or "autograd" in own_name:
                detail = "autograd"
            else:
                detail = "" if own_name in {program, title} else own_name
            for which in written[number]:
                suffix, word, folded = parts[which]
                place_in_order[number, which] = first_lane + len(lanes)
                where = f"cpu:{pid}:{tid}{suffix}"
                more = ", ".join(filter(None, [detail, word]))
                lanes.append(Lane(where, key, title, more, "thread", tid=tid, folded=folded))
    return groups, lanes, place_in_order[thread, 1 if part is None else part.astype(np.int64)]


def _parts_with_slices(
    thread: npt.NDArray[np.int32], part: npt.NDArray[np.bool_] | None, threads: int
) -> list[list[int]]:
    """Return the parts of each thread that have slices."""
    if part is None:
        return [[1]] * threads
    counts = np.bincount(thread * np.int64(2) + part, minlength=2 * threads).reshape(threads, 2)
    return [np.flatnonzero(row).tolist() for row in counts]


def _system_name(name: str | None) -> str:
    match = _THREAD_NAME.fullmatch(name or "")
    if match:
        return match[1]
    # Some recorders repeat the bare number.
    return "" if not name or re.fullmatch(r"(thread )?-?\d+", name) else name


def _process_label(pid: str, program: str) -> str:
    if not pid.lstrip("-").isdecimal():
        return pid
    return f"{program or 'Process'} {pid}"


def _streams(
    model: TraceModel,
) -> tuple[list[Group], list[Lane], Codes, npt.NDArray[np.int8]]:
    """Return groups, lanes, the lane of every device row, and which rows have separate lanes."""
    recorded = RecordedLanes.of(model).streams
    device, stream, kind, length = (
        model.column("device", name) for name in ("device", "stream", "kind", "duration_ns")
    )
    aside = np.zeros(len(kind), np.int8)
    aside[kind == kinds.DEVICE_ANNOTATION] = 1
    aside[kind == kinds.SYNC] = 2
    aside[~are_streams(stream)] = 0
    lane = np.full(len(kind), -1, np.int32)
    groups: list[Group] = []
    lanes: list[Lane] = []
    for number, own in rows_of_values(device).items():
        of_stream = rows_of_values(stream[own])
        # Ranges around kernels, and waits, are no work.
        rows_of_work = {one: own[at][aside[own[at]] == 0] for one, at in of_stream.items()}
        work = {one: (len(at), int(length[at].sum())) for one, at in rows_of_work.items()}
        for group, streams in _sections(model, number, work):
            groups.append(group)
            for one in streams:
                rows = own[of_stream[one]]
                called = recorded.get((number, one))
                title = called.name if called else f"Stream {one}" if one >= 0 else "No stream"
                for part in np.unique(aside[rows]).tolist():
                    lane[rows[aside[rows] == part]] = len(lanes)
                    suffix, detail = _ASIDE[part]
                    detail = detail or (called.detail if called else "")
                    where = f"gpu:{number}:{one}{suffix}"
                    lanes.append(
                        Lane(where, group.key, title, detail, "stream", device=number, stream=one)
                    )
    return groups, lanes, lane, aside


def _sections(
    model: TraceModel, number: int, work: dict[int, tuple[int, int]]
) -> list[tuple[Group, list[int]]]:
    """Return the groups for the streams of a device, and the streams of each in order.

    Parameters
    ----------
    model : TraceModel
        The trace.
    number : int
        Number of the device.
    work : dict of int to (int, int)
        Slices of work of every stream, and their time in nanoseconds.
    """
    recorded = RecordedLanes.of(model).streams
    device = device_label(device_type(model), number) if number >= 0 else "Device"
    named = {one: recorded[number, one] for one in work if (number, one) in recorded}
    # Lanes without a recorded name are grouped with the streams.
    main = next((lane.group for one, lane in named.items() if are_streams(one)), "")
    last = len(recorded)
    streams = sorted(work, key=lambda s: (named[s].rank if s in named else last, s < 0))
    by_group: dict[str, list[int]] = {}
    for one in streams:
        by_group.setdefault(named[one].group if one in named else main, []).append(one)
    found = []
    for name, own in by_group.items():
        is_main = name == main
        word = "stream" if is_main else "plane" if name.endswith(PLANES) else "lane"
        about = [
            device if name else None,
            device_properties(model, number)["name"] if is_main else None,
            format_count(len(own), word),
        ]
        key = f"device:{number}" if is_main else f"device:{number}:{name}"
        detail = ", ".join(filter(None, about))
        quiet = _quiet({one: work[one] for one in own}) if is_main else []
        aside = set(quiet)
        rest = [one for one in own if one not in aside]
        found.append((Group(key, name or device, detail, name.endswith(PLANES)), rest))
        if quiet:
            counts = [work[one][0] for one in quiet]
            few, many = format_number(min(counts)), format_count(max(counts), "slice")
            each = f"{many} each" if min(counts) == max(counts) else f"{few} to {many} each"
            label = format_count(len(quiet), f"quiet {word}")
            found.append(
                (Group(f"{key}:{QUIET}", label, each, collapsed=True, as_lane=True), quiet)
            )
    return found


def _quiet(work: dict[int, tuple[int, int]]) -> list[int]:
    """Return the streams with little work, none unless several of many streams are such."""
    if len(work) <= _MANY_STREAMS:
        return []
    slices, time = (sum(column) for column in zip(*work.values(), strict=True))
    quiet = [
        one
        for one, (own, busy) in work.items()
        if own <= _FEW_SLICES * slices and busy <= _LITTLE_TIME * time
    ]
    return quiet if len(quiet) >= _LEAST_QUIET else []
