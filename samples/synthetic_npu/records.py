"""What a simulated rank leaves behind: slices, kernels, arrows, memory and collectives.

Times are whole nanoseconds since 1970, sizes are bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class HostSlice:
    """A range on a thread of the host; `args` go into the trace as they are."""

    lane: str
    category: str
    name: str
    start: int
    end: int
    args: dict[str, object] = field(default_factory=dict)


@dataclass
class OperatorRow:
    """A call of an operator with what it takes by itself and in all."""

    name: str
    start: int
    end: int
    shapes: list[list[int]]
    stack: list[str]
    host_self: int = 0
    device_self: int = 0
    device_total: int = 0
    core_self: int = 0
    core_total: int = 0


@dataclass
class Task:
    """Something that ran on a stream of the NPU, or a collective."""

    name: str
    type: str
    core: str
    task_type: str
    start: int
    duration: int
    stream: int
    task: int
    connection: int
    step: int
    blocks: int = 0
    wait: int = 0
    inputs: list[list[int]] = field(default_factory=list)
    outputs: list[list[int]] = field(default_factory=list)
    cube_share: float = 0.0


@dataclass
class Arrow:
    """From one moment on one lane to another."""

    category: str
    name: str
    id: int | str
    start_lane: str
    start: int
    end_lane: str
    end: int


@dataclass
class Block:
    """A block of memory and the totals when it came and went."""

    name: str
    size: int
    allocated_at: int
    allocated_then: int
    reserved_then: int
    released_at: int | None = None
    allocated_after: int = 0
    reserved_after: int = 0


@dataclass
class Collective:
    """An all-reduce of one rank."""

    name: str
    step: int
    start: int
    end: int
    transfer: int
    size: int


@dataclass
class Step:
    """From when to when a step ran on the host."""

    number: int
    start: int
    end: int


@dataclass
class Recording:
    """All of it, of one rank."""

    rank: int
    slices: list[HostSlice] = field(default_factory=list)
    operators: list[OperatorRow] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    collectives: list[Collective] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
