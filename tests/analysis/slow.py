"""The definitions of the tables written as plain loops over nanoseconds.

Times of generated traces are small whole numbers, so that a set of intervals is a set of moments.
Nesting, links, steps and which rows a filter keeps are taken from the model, which has tests of
its own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Moments = set[int]
WORK = ("kernel", "memcpy", "memset")
COMMUNICATES = ("nccl:", "gloo:", "c10d::", "record_param_comms")


@dataclass
class Row:
    """A row of the host or device table, with what is derived from it."""

    index: int
    name: str
    kind: str
    start: int
    end: int
    more: dict[str, Any]

    @property
    def moments(self) -> Moments:
        return set(range(self.start, self.end))

    @property
    def duration(self) -> int:
        return self.end - self.start


def rows_of(model: TraceModel, table: str) -> list[Row]:
    return [
        Row(i, r["name"], r["kind"], r["start_ns"], r["start_ns"] + r["duration_ns"], r)
        for i, r in enumerate(model.tables[table].to_pylist())
    ]


def occupancy(row: Row) -> float:
    """Return the occupancy of a kernel without registers or shared memory; NaN if unknown.

    Its blocks have at least one warp each, of at most 64: a 0 is possible while that rounds to 0.
    """
    recorded: float = row.more["occupancy_pct"]
    is_impossible = recorded == 0 and row.more["blocks_per_sm"] / 64 >= 0.005
    return math.nan if is_impossible else recorded


def is_in_time(host: list[Row], launch: int, span: Row) -> bool:
    """Whether a launch, -1 for none, starts in the time of a host row, on its thread."""
    if launch < 0 or host[launch].more["thread"] != span.more["thread"]:
        return False
    return span.start <= host[launch].start < span.end


def is_loader(row: Row) -> bool:
    return row.kind in ("operator", "annotation") and row.name.startswith("enumerate(DataLoader)#")


def is_operator(row: Row) -> bool:
    if row.kind != "operator" or is_loader(row):
        return False
    return not row.name.startswith(("Optimizer.", "DistributedDataParallel", "DataParallel"))


def communicates_on_host(row: Row) -> bool:
    return row.kind in ("operator", "annotation") and row.name.startswith("gloo:")


def communicating_device_rows(model: TraceModel) -> set[int]:
    host = rows_of(model, "host")
    found = set()
    for row in rows_of(model, "device"):
        operator = model.links.operator[row.index]
        by_operator = operator >= 0 and host[operator].name.startswith(COMMUNICATES)
        if by_operator or (row.kind != "annotation" and "nccl" in row.name.lower()):
            found.add(row.index)
    return found


def without_range(filter_: Filter) -> Filter:
    return filter_.replace(steps=None, time_us=None)


def step_windows(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    """Steps cut to the range: number, start, end, complete."""
    steps, windows = model.steps, []
    for i, number in enumerate(steps.number.tolist()):
        start, end = int(steps.start_ns[i]), int(steps.end_ns[i])
        cut = (start, end)
        if filter_.steps and not filter_.steps[0] <= number <= filter_.steps[1]:
            continue
        if filter_.time_us:
            low, high = (round(t * 1000) for t in filter_.time_us)
            if start == end:
                if not low <= start < high:
                    continue
            elif max(low, start) >= min(high, end):
                continue
            cut = (max(low, start), min(high, end))
        complete = bool(steps.complete[i]) and cut == (start, end)
        windows.append({"step": number, "start": cut[0], "end": cut[1], "complete": complete})
    return windows


def host_category(row: Row) -> str | None:
    if is_loader(row):
        return "dataloader_us"
    if communicates_on_host(row):
        return "communication_us"
    return {
        "runtime": "runtime_us",
        "operator": "cpu_exec_us",
        "annotation": "cpu_exec_us",
    }.get(row.kind)


def steps(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    """Give every moment of a step to the first category that is active in it."""
    rows = without_range(filter_)
    keep_host = selection.host_rows(model, rows)
    keep_device = selection.device_rows(model, rows)
    talk = communicating_device_rows(model)
    active: dict[str, Moments] = {
        name: set()
        for name in (
            "kernel_us",
            "memcpy_us",
            "memset_us",
            "communication_us",
            "runtime_us",
            "dataloader_us",
            "cpu_exec_us",
        )
    }
    for row in rows_of(model, "device"):
        if keep_device[row.index] and row.kind in WORK:
            name = "communication" if row.index in talk else row.kind
            active[f"{name}_us"] |= row.moments
    for row in rows_of(model, "host"):
        if keep_host[row.index] and (name := host_category(row)):
            active[name] |= row.moments
    found = []
    for window in step_windows(model, filter_):
        costs = dict.fromkeys((*active, "other_us"), 0)
        for moment in range(window["start"], window["end"]):
            name = next((n for n, moments in active.items() if moment in moments), "other_us")
            costs[name] += 1
        found.append({**window, **costs})
    return found


def device_time(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    """Look at every moment of the window of each device, at whatever runs."""
    keep = selection.device_rows(model, Filter(devices=filter_.devices))
    talk = communicating_device_rows(model)
    work = [row for row in rows_of(model, "device") if row.kind in WORK]
    found = []
    for device in sorted({row.more["device"] for row in work}):
        if filter_.devices is not None and device not in filter_.devices:
            continue
        here = [row for row in work if row.more["device"] == device]
        window = set(range(min(r.start for r in here), max(r.end for r in here)))
        if filter_.steps is not None:
            window = {
                m
                for w in step_windows(model, filter_.replace(time_us=None))
                for m in range(w["start"], w["end"])
            }
        if filter_.time_us is not None:
            low, high = (round(t * 1000) for t in filter_.time_us)
            window = window & set(range(low, high)) if filter_.steps else set(range(low, high))
        computing: Moments = set()
        talking: Moments = set()
        copying: Moments = set()
        for row in here:
            if keep[row.index]:
                into = copying if row.kind == "memcpy" else computing
                into = talking if row.index in talk else into
                into |= row.moments & window
        found.append(
            {
                "device": device,
                "total_us": len(window),
                "computation_us": len(computing),
                "communication_us": len(talking),
                "exposed_communication_us": len(talking - computing),
                "memcpy_us": len(copying),
                "exposed_memcpy_us": len(copying - computing - talking),
                "idle_us": len(window - computing - talking - copying),
            }
        )
    return found


class Call:
    """An operator call with the calls right inside it."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.rows = [row]
        self.inside: list[Call] = []
        self.runtime: list[Row] = []
        self.device: list[Row] = []

    def merge(self) -> None:
        """Become one with an only child of the same name, as often as there is one."""
        while len(self.inside) == 1 and self.inside[0].row.name == self.row.name:
            (child,) = self.inside
            self.rows += child.rows
            self.inside = child.inside
            self.runtime += child.runtime
            self.device += child.device
        for child in self.inside:
            child.merge()

    @property
    def self_time(self) -> int:
        covered: Moments = set()
        for row in [*(call.row for call in self.inside), *self.runtime]:
            covered |= row.moments
        return len(self.row.moments - covered)

    def below(self) -> list[Call]:
        return [self, *(call for child in self.inside for call in child.below())]


def call_around(host: list[Row], own: Row) -> Row | None:
    """Return the operator or runtime call begun last of those that the profiler's work is in."""
    around = [
        row
        for row in host
        if (is_operator(row) or row.kind == "runtime")
        and row.start <= own.start < row.end
        and own.end <= row.end
    ]
    return max(around, key=lambda row: (row.start, -row.end, row.index), default=None)


def calls(model: TraceModel) -> list[Call]:
    """Return all operator calls, those of one name that are one call merged."""
    host = rows_of(model, "host")
    parent = model.nesting.parent
    by_row = {row.index: Call(row) for row in host if is_operator(row)}
    top = []
    for row in host:
        above, through_runtime = int(parent[row.index]), False
        while above >= 0 and above not in by_row:
            through_runtime |= host[above].kind == "runtime"
            above = int(parent[above])
        if row.index in by_row:
            (by_row[above].inside if above >= 0 else top).append(by_row[row.index])
        elif row.kind == "runtime" and above >= 0 and not through_runtime:
            by_row[above].runtime.append(row)
        around = call_around(host, row) if row.kind == "overhead" else None
        if around is not None and around.index in by_row:
            by_row[around.index].runtime.append(row)
    for row in rows_of(model, "device"):
        operator = int(model.links.operator[row.index])
        if row.kind in WORK and operator >= 0:
            by_row[operator].device.append(row)
    for call in top:
        call.merge()
    return [call for outer in top for call in outer.below()]


def counted_device_rows(model: TraceModel, filter_: Filter) -> list[bool]:
    """Return which device rows count for the host rows that launched them."""
    on_device = {"kernel", "memcpy", "memset"} & set(filter_.kinds or ())
    return [
        row.kind in WORK
        and (not on_device or row.kind in on_device)
        and (filter_.devices is None or row.more["device"] in filter_.devices)
        and (filter_.streams is None or row.more["stream"] in filter_.streams)
        for row in rows_of(model, "device")
    ]


def operators(model: TraceModel, filter_: Filter, keys: list[str]) -> dict[Any, dict[str, Any]]:
    """Add up the calls that the filter keeps."""
    kept = selection.host_rows(model, filter_.replace(devices=None, streams=None))
    counted = counted_device_rows(model, filter_)

    def time(call: Call, *, tensor: bool = False) -> int:
        return sum(
            row.duration
            for row in call.device
            if counted[row.index] and (not tensor or re.search("s884", row.name))
        )

    found: dict[Any, dict[str, Any]] = {}
    for call in calls(model):
        if not kept[call.row.index]:
            continue
        sums = found.setdefault(tuple(call.row.more[key] for key in keys), {"calls": 0})
        below = call.below()
        adds = {
            "calls": 1,
            "host_self_us": call.self_time,
            "host_total_us": call.row.duration,
            "device_self_us": time(call),
            "device_total_us": sum(time(inner) for inner in below),
            "tensor_self": time(call, tensor=True),
            "tensor_total": sum(time(inner, tensor=True) for inner in below),
            "eligible": any(
                inner.row.name in ("aten::mm", "aten::linear")
                or any("s884" in row.name for row in inner.device)
                for inner in below
            ),
        }
        for name, value in adds.items():
            sums[name] = sums.get(name, 0) + value
    return found
