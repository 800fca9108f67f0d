"""One lane for every thread of a process and every stream of a device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.device_rows import device_type
from nbprof.model import kinds
from nbprof.timeline.lanes import Group, Lane, LaneSet, place
from nbprof.timeline.sublanes import nest_within

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel
    from nbprof.timeline.slices import Slices

Codes = npt.NDArray[np.int32]

#: Thread names as recorders write them: the system's name of the thread is in the parentheses.
_THREAD_NAME: Final = re.compile(r"thread -?\d+ \((.*)\)", re.DOTALL)

#: What shares a stream with kernels and is no work lies in lanes of its own: ranges that enclose
#: the kernels, and waits that go on while they run.
_ASIDE: Final = {
    0: ("", ""),
    1: (":annotations", "annotations"),
    2: (":sync", "synchronization"),
}


def thread_lanes(model: TraceModel, slices: Slices) -> LaneSet:
    """Return the lanes by thread and stream: processes first, then devices."""
    host_groups, host_lanes, host = _threads(model)
    groups, lanes, device, aside = _streams(model, len(host_lanes))
    lane = np.concatenate([host, device])
    parent = np.full(len(lane), -1, np.int64)
    nesting = np.zeros(len(lane), np.int64)
    parent[: slices.host_rows] = model.nesting.parent
    nesting[: slices.host_rows] = model.nesting.depth
    ranges = slices.host_rows + np.flatnonzero(aside == 1)
    parent[ranges], nesting[ranges] = nest_within(slices, ranges, lane[ranges])
    groups, lanes = [*host_groups, *groups], [*host_lanes, *lanes]
    return place(slices, groups, lanes, lane, parent, nesting=nesting)


def _threads(model: TraceModel) -> tuple[list[Group], list[Lane], Codes]:
    """Return groups, lanes, and the lane of every host row."""
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

    def place_of(number: int) -> tuple[int, str, bool, int, int]:
        pid, tid = table[number]["pid"], table[number]["tid"]
        return -of_process[pid], pid, str(tid) != pid, -steps[number], -int(slices[number])

    used.sort(key=place_of)
    groups: list[Group] = []
    lanes: list[Lane] = []
    for pid in dict.fromkeys(table[number]["pid"] for number in used):
        threads = [number for number in used if table[number]["pid"] == pid]
        programs = [_system_name(table[number]["name"]) for number in threads]
        program = next((name for name in programs if name.startswith("python")), "")
        several = f"{len(threads)} threads" if len(threads) > 1 else "1 thread"
        key = f"process:{pid}"
        groups.append(Group(key, _process_label(pid, program), f"CPU, {several}"))
        for number, own_name in zip(threads, programs, strict=True):
            tid = table[number]["tid"]
            if str(tid) == pid:
                detail = "main"
            elif backward[number] or "autograd" in own_name:
                detail = "autograd"
            else:
                detail = "" if own_name == program else own_name
            lanes.append(Lane(f"cpu:{pid}:{tid}", key, f"Thread {tid}", detail, "thread", tid=tid))
    place_in_order = np.full(len(table), -1, np.int32)
    place_in_order[used] = np.arange(len(used))
    return groups, lanes, place_in_order[thread]


def _system_name(name: str | None) -> str:
    found = _THREAD_NAME.fullmatch(name or "")
    if found:
        return found[1]
    # Some recorders write the bare number once more.
    return "" if not name or re.fullmatch(r"(thread )?-?\d+", name) else name


def _process_label(pid: str, program: str) -> str:
    if not pid.lstrip("-").isdecimal():
        return pid
    return f"{program or 'Process'} {pid}"


def _streams(
    model: TraceModel, first_lane: int
) -> tuple[list[Group], list[Lane], Codes, npt.NDArray[np.int8]]:
    """Return groups, lanes, the lane of every device row, and which rows lie aside."""
    device, stream, kind = (model.column("device", c) for c in ("device", "stream", "kind"))
    aside = np.zeros(len(kind), np.int8)
    aside[kind == kinds.DEVICE_ANNOTATION] = 1
    aside[kind == kinds.SYNC] = 2
    lane = np.full(len(kind), -1, np.int32)
    names = {row["device"]: row["name"] for row in model.tables["devices"].to_pylist()}
    groups: list[Group] = []
    lanes: list[Lane] = []
    for number in np.unique(device).tolist():
        key = f"device:{number}"
        own = np.flatnonzero(device == number)
        streams = np.unique(stream[own]).tolist()
        several = f"{len(streams)} streams" if len(streams) > 1 else "1 stream"
        label = f"{device_type(model).upper()} {number}" if number >= 0 else "Device"
        groups.append(Group(key, label, ", ".join(filter(None, [names.get(number), several]))))
        for one in sorted(streams, key=lambda s: s < 0):
            rows = own[stream[own] == one]
            for part in np.unique(aside[rows]).tolist():
                lane[rows[aside[rows] == part]] = first_lane + len(lanes)
                suffix, detail = _ASIDE[part]
                title = f"Stream {one}" if one >= 0 else "No stream"
                where = f"gpu:{number}:{one}{suffix}"
                lanes.append(Lane(where, key, title, detail, "stream", device=number, stream=one))
    return groups, lanes, lane, aside
