"""Computes `key_averages` from the JSON of a trace, event by event, to compare with.

The classes and loops follow the rules as they are stated, with no thought for speed: a stack for
nesting, a repeated pass for calls of one name, a scan of all memory records for each event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.support.traces import device_kind, host_kind, is_memory, plain_events, to_ns

if TYPE_CHECKING:
    from pathlib import Path

SKIPPED: Final = {
    *("[memory]", "[OutOfMemory]", "aten::is_leaf", "aten::output_nr", "aten::_version"),
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
}
ASYNCHRONOUS: Final = re.compile("^(gloo|nccl|mpi|ucc|xccl|hccl|rccl):")
OVERLOAD: Final = re.compile(r"^(\w+::\w+)\.\w+$")
RANGES: Final = {"annotation", "step"}


@dataclass(eq=False)
class Slow:
    """An event of PyTorch's list."""

    name: str
    kind: str
    start: int
    end: int
    thread: Any
    external: int
    correlation: int
    is_device: bool = False
    memory: int = 0
    parent: Slow | None = None
    children: list[Slow] = field(default_factory=list)
    kernels: list[int] = field(default_factory=list)

    @property
    def duration(self) -> int:
        return self.end - self.start

    @property
    def is_range(self) -> bool:
        return self.kind in RANGES

    @property
    def is_asynchronous(self) -> bool:
        return not self.is_device and self.is_range and bool(ASYNCHRONOUS.match(self.name))

    @property
    def host_self(self) -> int:
        if self.is_device or self.is_asynchronous:
            return 0
        return self.duration - sum(child.duration for child in self.children)

    @property
    def memory_self(self) -> int:
        if self.is_device or self.is_asynchronous:
            return 0
        return self.memory - sum(child.memory for child in self.children)

    @property
    def device_self(self) -> int:
        return self.duration if self.is_device else sum(self.kernels)

    @property
    def device_total(self) -> int:
        return self.device_self + sum(child.device_total for child in self.children)


def slow_averages(path: Path) -> dict[tuple[str, bool, bool], list[int]]:
    """Return the figures of each row by its keys.

    They are calls, self, total, memory, self memory, device self and device total.
    """
    events = slow_events(path)
    rows: dict[tuple[str, bool, bool], list[int]] = {}
    for event in events:
        row = rows.setdefault((event.name, event.is_device, event.is_range), [0] * 7)
        host = 0 if event.is_device else event.duration
        figures = (1, event.host_self, host, event.memory, event.memory_self)
        for at, value in enumerate((*figures, event.device_self, event.device_total)):
            row[at] += value
    return rows


def slow_events(path: Path) -> list[Slow]:
    """Return the events in PyTorch's order."""
    plain = plain_events(path)
    host = [made for event in plain if (made := _host(event))]
    device = [made for event in plain if (made := _device(event))]
    _trim(device)
    _link(host, device)
    records = [(to_ns(e["ts"]), e["args"]) for e in plain if is_memory(e)]
    outside = _add_memory(host, records)
    _nest(host)
    host = _merged(host)
    events = [*host, *outside, *device]
    return sorted(events, key=lambda e: (e.start, -e.end, e.is_device and e.is_range))


def _host(event: dict[str, Any]) -> Slow | None:
    kind = host_kind(event)
    if kind is None or event["name"] in SKIPPED:
        return None
    return _slow(event, kind)


def _device(event: dict[str, Any]) -> Slow | None:
    kind = device_kind(event)
    return None if kind is None else _slow(event, kind, is_device=True)


def _slow(event: dict[str, Any], kind: str, *, is_device: bool = False) -> Slow:
    name, args = str(event["name"]), event.get("args") or {}
    if name.startswith("ProfilerStep#"):
        name = "ProfilerStep*"
    elif kind == "operator":
        name = OVERLOAD.sub(r"\1", name)
    start = to_ns(event["ts"])
    external = int(args.get("External id", args.get("external id", -1)))
    correlation = int(args.get("correlation", -1))
    end = start + to_ns(event["dur"])
    thread = (event["pid"], event["tid"])
    return Slow(name, kind, start, end, thread, external, correlation, is_device)


def _trim(device: list[Slow]) -> None:
    """Take from the ranges of labels the nanosecond that Kineto adds on both sides."""
    starts = {event.start for event in device if not event.is_range}
    ends = {event.end for event in device if not event.is_range}
    for event in device:
        if event.is_range:
            event.start += event.start + 1 in starts
            event.end -= event.end - 1 in ends


def _link(host: list[Slow], device: list[Slow]) -> None:
    """Move calls of the runtime to the thread of their operator, and give calls their kernels."""
    named = {e.external: e for e in host if e.external > 0 and e.kind in {"operator", *RANGES}}
    calls = [event for event in host if event.kind == "runtime"]
    overhead = [event for event in host if event.kind == "overhead"]
    linked = [e for e in (*calls, *device) if e.external in named and e.external != e.correlation]
    launches = {call.correlation: call for call in calls if call.correlation > 0}
    owner: dict[int, Slow | None] = {}
    for event in calls:
        owner[id(event)] = named.get(event.external) if linked else _around(host, event)
    for event in device:
        launch = launches.get(event.correlation)
        by_launch = owner[id(launch)] if launch else None
        owner[id(event)] = named.get(event.external) if linked else by_launch
    main = _main_thread(host)
    again: list[tuple[int, Slow]] = []
    if linked:
        again += [(call.correlation, call) for call in calls if call.external <= 0]
        again += [(_id_around(host, event), event) for event in overhead]
    for event in calls:
        found = owner[id(event)]
        alone = main if linked else ("runtime", event.thread)
        event.thread = found.thread if found else alone
        others = [other for number, other in again if 0 < number == event.external]
        if found and any(other.start > found.start for other in others):
            event.thread = main
    for event in overhead:
        event.thread = main if linked else ("runtime", event.thread)
    for event in device:
        found = owner[id(event)]
        others = [other for number, other in again if 0 < number == event.external]
        for one in [found, *others]:
            if one and not (event.is_range or one.is_asynchronous):
                one.kernels.append(event.duration)


def _main_thread(host: list[Slow]) -> Any:
    """Return the thread with the number of its process, or else the first with a step or label."""
    ordered = sorted(host, key=lambda event: event.start)
    main = {event.thread for event in host if event.thread[0] == event.thread[1]}
    for chosen in ({"step"}, {"operator", *RANGES}):
        threads = [event.thread for event in ordered if event.kind in chosen]
        for thread in threads:
            if thread in main or not main:
                return thread
    return None


def _id_around(host: list[Slow], own: Slow) -> int:
    """Return the id of the last operator begun that encloses the profiler's own work."""
    around = [e for e in host if e.kind == "operator" and e.start <= own.start and own.end <= e.end]
    return max(around, key=lambda e: (e.start, -e.end)).external if around else 0


def _around(host: list[Slow], call: Slow) -> Slow | None:
    """Return the innermost operator around the start of a call on its thread."""
    around = [
        (event.start, -event.end, place, event)
        for place, event in enumerate(host)
        if event.kind == "operator" and event.thread == call.thread
        if event.start <= call.start < event.end and call.end <= event.end
    ]
    return max(around)[-1] if around else None


def _add_memory(host: list[Slow], records: list[tuple[int, dict[str, Any]]]) -> list[Slow]:
    outside = []
    for time, args in records:
        size = int(args["Bytes"]) if int(args["Device Type"]) == 0 else 0
        around = [event for event in host if event.start <= time <= event.end]
        for event in around:
            event.memory += size
        if not around:
            outside.append(Slow("[memory]", "memory", time, time, None, -1, -1, memory=size))
    return outside


def _nest(host: list[Slow]) -> None:
    threads: dict[Any, list[Slow]] = {}
    for event in host:
        if not event.is_asynchronous:
            threads.setdefault(event.thread, []).append(event)
    for events in threads.values():
        stack: list[Slow] = []
        for event in sorted(events, key=lambda one: (one.start, -one.end)):
            while stack and (event.start >= stack[-1].end or event.end > stack[-1].end):
                stack.pop()
            if stack:
                event.parent = stack[-1]
                stack[-1].children.append(event)
            stack.append(event)


def _merged(host: list[Slow]) -> list[Slow]:
    host = sorted(host, key=lambda event: (event.start, -event.end))
    while True:
        gone = set()
        for event in host:
            parent = event.parent
            if parent and parent.name == event.name and len(parent.children) == 1:
                parent.children = event.children
                parent.kernels = event.kernels  # as PyTorch does: its own are forgotten
                for child in event.children:
                    child.parent = parent
                gone.add(id(event))
        if not gone:
            return host
        host = [event for event in host if id(event) not in gone]
