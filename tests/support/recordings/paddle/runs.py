"""Paddle profiles as plain objects, and random ones."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE_NS = 1_795_253_887_174_751_425
PID = 4000


@dataclass
class Work:
    """Something on a device."""

    type: str
    name: str
    start: int
    end: int
    device: int = 0
    stream: int = 7
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass
class Call:
    """A runtime call, with the device work that it launched."""

    name: str
    start: int
    end: int
    correlation: int
    work: list[Work] = field(default_factory=list)


@dataclass
class Memory:
    """A record of memory."""

    kind: str
    time: int
    address: int
    change: int
    place: str = "Place(gpu:0)"
    totals: tuple[int, ...] = (0, 0, 0, 0)


@dataclass
class Node:
    """A host event, with what is inside it."""

    type: str
    name: str
    start: int
    end: int
    children: list[Node] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    shapes: dict[str, Any] = field(default_factory=dict)
    types: dict[str, Any] = field(default_factory=dict)
    stack: str = ""


@dataclass
class Recording:
    """Roots by thread; times are absolute nanoseconds."""

    threads: dict[int, Node]
    span: int = 0
    devices: list[dict[str, Any]] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)
    base: int = BASE_NS

    def levels(self, tid: int) -> Iterator[Node]:
        """Yield the nodes of a thread level by level, the root first."""
        waiting = deque([self.threads[tid]])
        while waiting:
            node = waiting.popleft()
            yield node
            waiting.extend(node.children)


def root(*children: Node, **more: Any) -> Node:
    """Return the root of a thread."""
    return Node("UserDefined", "root node", 0, (1 << 64) - 1, list(children), **more)


DEVICE = {
    "id": 0,
    "name": "Tesla V100",
    "totalGlobalMem": 34089730048,
    "computeMajor": 7,
    "computeMinor": 0,
    "smCount": 80,
}


def generate(seed: int, *, pause_ns: int = 0, steps: int = 3, gpu: bool = True) -> Recording:
    """Return a recording of steps on two threads, with a pause before each."""
    clock = _Clock(seed, gpu=gpu)
    main, other = root(), root()
    for at in range(steps):
        clock.now += pause_ns
        main.children.append(clock.step(at))
        other.children.append(clock.operator("other"))
    extra = {
        "Process Cpu Utilization": "1.250000",
        "System Cpu Utilization": "0.500000",
        str(PID): "MainThread",
    }
    return Recording({PID: main, PID + 1: other}, devices=[DEVICE] if gpu else [], extra=extra)


class _Clock:
    """Makes nodes, one after another in time."""

    def __init__(self, seed: int, *, gpu: bool) -> None:
        self.now = self.device_free = BASE_NS
        self._chance = random.Random(seed)
        self._gpu = gpu
        self._correlation, self._address = 100, 1 << 40
        self._totals = [0, 0, 0, 0]

    def step(self, at: int) -> Node:
        """Return a step of three stages."""
        node = Node("ProfileStep", f"ProfileStep#{at}", self._wait(), 0)
        stages = (("Forward", "Net"), ("PythonUserDefined", "my [loss]"), ("Backward", "Gradient"))
        for type_, name in stages:
            stage = Node(type_, name, self._wait(), 0)
            stage.children = [self.operator(one) for one in ("conv2d", "relu", "matmul")]
            stage.end = self._wait()
            node.children.append(stage)
        self._record(node, "ReservedAllocate")
        node.end = self._wait()
        return node

    def operator(self, name: str) -> Node:
        """Return an operator of two phases, the second of which launches something."""
        node = Node("Operator", f"{name} dygraph", self._wait(), 0)
        size = self._chance.randrange(1, 99)
        node.shapes = {"x": [[32, size]], "bias": [[size], []]}
        node.types = {"x": ["float32"], "bias": ["float32", "int64"]}
        phases = ("OperatorInner", "infer_meta"), ("DygraphKernelLaunch", "kernel launch")
        for type_, part in phases:
            inner = Node(type_, f"{name} {part}", self._wait(), 0)
            if type_ == "DygraphKernelLaunch":
                self._record(inner, "Allocate")
                if self._gpu:
                    inner.calls.append(self._call())
            inner.end = self._wait()
            node.children.append(inner)
            if self._chance.random() < 0.5:
                self._record(node, "Free")
        node.end = self._wait()
        return node

    def _wait(self, most: int = 900) -> int:
        self.now += self._chance.randrange(1, most)
        return self.now

    def _record(self, node: Node, kind: str) -> None:
        self._address += 256
        change = self._chance.randrange(1, 1 << 20) * (-1 if kind.endswith("Free") else 1)
        totals = self._totals
        totals[0] += change
        totals[2] = max(totals)
        record = Memory(kind, self._wait(), self._address, change, totals=tuple(totals))
        node.memory.append(record)

    def _call(self) -> Call:
        chance = self._chance
        self._correlation += 1
        start, end = self._wait(), self._wait(3000)
        begin = max(self.device_free, end) + chance.randrange(1, 5000)
        self.device_free = begin + chance.randrange(100, 60_000)
        kinds = ("Kernel", 'gemm<float>[a"b]'), ("Memcpy", "MEMCPY_HtoD"), ("Memset", "MEMSET")
        type_, name = chance.choice(kinds)
        detail = {
            "registers": 32,
            "shared": [1024, chance.randrange(4096)],
            "blocks": chance.random() * 9,
            "warps": chance.random() * 64,
            "occupancy": chance.random(),
            "grid": [chance.randrange(1, 9), 1, 1],
            "block": [128, 2, 1],
            "bytes": chance.randrange(1, 1 << 24),
        }
        work = Work(type_, name, begin, self.device_free, detail=detail)
        return Call("cudaLaunchKernel", start, end, self._correlation, [work])
