"""One host with its NPU: runs operator calls and writes down when everything happened.

The host runs an operator, puts its task into a queue, and goes on. Another thread takes tasks out
of the queue and launches them; a kernel starts when it has been launched and the kernel before it
on its stream has ended.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import prod

from .network import FLOAT, Call, Kernel
from .records import Arrow, Block, HostSlice, OperatorRow, Recording, Task

MAIN, AUTOGRAD, QUEUE = "main", "autograd", "queue"
CANN_MAIN, CANN_QUEUE = "cann main", "cann queue"
COMPUTE, TRANSFER = 2, 4
#: Operations and bytes a second that kernels reach.
CUBE_RATE, VECTOR_RATE, BANDWIDTH = 60e12, 4e12, 900e9
LINK = 16e9
CORES = {"AI_CORE": 24, "MIX_AIC": 24, "AI_VECTOR_CORE": 48, "MIX_AIV": 48}
MIB = 1 << 20
POOL = 20 * MIB


@dataclass
class Spent:
    """Device time of a call: its own and that of calls inside, and the part of it on AI Cores."""

    own: int = 0
    total: int = 0
    own_core: int = 0
    total_core: int = 0


class Machine:
    """The clocks of one rank and what it has recorded so far."""

    def __init__(self, rank: int, start: int, slowness: float) -> None:
        self.recording = Recording(rank)
        self.now = start
        self.step = 0
        self.stream_free = {COMPUTE: start, TRANSFER: start}
        self._queue_free = start
        self._random = random.Random(1000 + rank)  # noqa: S311 - no secret
        self._slowness = slowness
        self._connection = 1000 + 100_000 * rank
        self._task = 0
        self._python_id = 0
        self._allocated, self._reserved = 64 * MIB, 80 * MIB
        self._kept: list[Block] = []
        self.stack: list[str] = []

    def take(self, microseconds: float) -> int:
        """Let the host work for about that long; return when it is done."""
        self.now += round(microseconds * self._random.uniform(0.8, 1.25) * 100) * 10
        return self.now

    def run(self, call: Call, lane: str = MAIN) -> Spent:
        """Run an operator on a thread of the host."""
        start, spent = self.now, Spent()
        self.take(14)
        place = len(self.recording.operators)
        row = OperatorRow(call.name, start, 0, call.shapes, list(reversed(self.stack)))
        self.recording.operators.append(row)
        block = self._allocate(call) if call.output else None
        inside = 0
        for one in call.inner:
            before = self.now
            found = self.run(one, lane)
            inside += self.now - before
            spent.total += found.total
            spent.total_core += found.total_core
        if call.kernel is not None:
            spent.own = self._ask(call.name, call.kernel, start, lane)
            spent.own_core = spent.own if call.kernel.core in CORES else 0
            spent.total += spent.own
            spent.total_core += spent.own_core
        self.take(9)
        if block is not None and not call.keeps:
            self._release(block)
        row = self.recording.operators[place]
        row.end, row.host_self = self.now, self.now - start - inside
        row.device_self, row.device_total = spent.own, spent.total
        row.core_self, row.core_total = spent.own_core, spent.total_core
        self._slice(lane, "cpu_op", call.name, (start, self.now), _operator_args(call, row.stack))
        return spent

    def _ask(self, name: str, kernel: Kernel, operator: int, lane: str) -> int:
        """Put a kernel into the queue and launch it; return how long it runs."""
        task = self.launch(name, kernel, operator, lane, duration=self._duration(kernel))
        return task.duration

    def launch(
        self,
        name: str,
        kernel: Kernel,
        operator: int,
        lane: str,
        *,
        duration: int,
        stream: int = COMPUTE,
        ready: int = 0,
        task_type: str = "",
    ) -> Task:
        """Put a task into the queue, launch it, and run it when its stream is free."""
        self._connection += 2
        self._task += 1
        correlation, connection = self._connection + 7_000, self._connection
        put = self.now
        self._slice(
            lane, "enqueue", "Enqueue", (put, self.take(2)), {"correlation_id": correlation}
        )
        taken = max(self._queue_free, self.now + 3_000)
        called = taken + 2_000
        launched = called + round(self._random.uniform(6, 12) * 100) * 10
        self._queue_free = launched + 1_500
        self._slice(
            QUEUE,
            "dequeue",
            f"Dequeue@{name}",
            (taken, self._queue_free),
            {"correlation_id": correlation},
        )
        self._cann(CANN_QUEUE, f"AscendCL@{name}", called, launched, connection - 1)
        self._cann(CANN_QUEUE, "Node@launch", called + 3_000, launched - 500, connection)
        free = self.stream_free[stream]
        start = max(free, launched + 2_000, ready)
        task = Task(
            f"{name}_{kernel.type}_{kernel.type}" if kernel.core in CORES else name,
            kernel.type,
            kernel.core,
            task_type or kernel.core,
            start,
            duration,
            stream,
            self._task,
            connection,
            self.step,
            CORES.get(kernel.core, 0),
            max(0, start - free),
            kernel.inputs,
            kernel.outputs,
            0.8 if kernel.core in ("AI_CORE", "MIX_AIC") else 0.0,
        )
        self.stream_free[stream] = start + duration
        self.recording.tasks.append(task)
        device = f"stream {stream}"
        add = self.recording.arrows.append
        add(Arrow("async_task_queue", "enqueue_to_dequeue", correlation, lane, put, QUEUE, taken))
        add(
            Arrow(
                "HostToDevice",
                f"HostToDevice{connection}",
                str(connection),
                CANN_QUEUE,
                called + 3_000,
                device,
                start,
            )
        )
        add(Arrow("async_npu", "torch_to_npu", start, lane, operator, device, start))
        return task

    @property
    def launchable(self) -> int:
        """When what is asked for now can be launched."""
        return max(self._queue_free, self.now + 10_000)

    def wait(self) -> None:
        """Let the host wait until the NPU has done everything."""
        begun = self.now
        done = max(self.stream_free.values())
        self.now = max(self.now, done) + 8_000
        name = "AscendCL@aclrtSynchronizeStreamWithTimeout"
        self._cann(CANN_MAIN, name, begun, self.now - 2_000, 0)

    def frame(self, name: str, start: int, module: int | None = None) -> None:
        """Write down a Python frame that ran until now."""
        self._python_id += 1
        args: dict[str, object] = {"Python id": self._python_id, "Python parent id": 0}
        if module is not None:
            args["Python module id"] = module
        self._slice(MAIN, "python_function", name, (start, self.now), args)

    def release_all(self) -> None:
        """Release what the forward pass kept."""
        for block in reversed(self._kept):
            self.take(0.5)
            self._release(block)
        self._kept.clear()

    def _allocate(self, call: Call) -> Block:
        size = -(-call.output // 512) * 512
        self._allocated += size
        while self._reserved < self._allocated:
            self._reserved += POOL
        block = Block(call.name, size, self.take(1), self._allocated, self._reserved)
        self.recording.blocks.append(block)
        if call.keeps:
            self._kept.append(block)
        return block

    def _release(self, block: Block) -> None:
        self._allocated -= block.size
        block.released_at = self.now
        block.allocated_after, block.reserved_after = self._allocated, self._reserved

    def _duration(self, kernel: Kernel) -> int:
        moved = FLOAT * sum(map(prod, [*kernel.inputs, *kernel.outputs]))
        rate = CUBE_RATE if kernel.core in ("AI_CORE", "MIX_AIC") else VECTOR_RATE
        seconds = max(kernel.operations / rate, moved / BANDWIDTH) + 2e-6
        return round(seconds * 1e9 * self._slowness * self._random.uniform(0.97, 1.06))

    def _cann(self, lane: str, name: str, start: int, end: int, connection: int) -> None:
        level = "node" if name.startswith("Node@") else "acl"
        args = {"level": level, "id": name.partition("@")[2], "connection_id": connection}
        self._slice(lane, "", name, (start, end), args)

    def _slice(
        self, lane: str, category: str, name: str, span: tuple[int, int], args: dict[str, object]
    ) -> None:
        self.recording.slices.append(HostSlice(lane, category, name, *span, args))


def _operator_args(call: Call, stack: list[str]) -> dict[str, object]:
    args: dict[str, object] = {"Sequence number": call.sequence, "Fwd thread id": 0}
    if call.shapes:
        args["Input Dims"] = ";\r\n".join(",".join(map(str, shape)) for shape in call.shapes)
        args["Input type"] = ";\r\n".join("float" for _ in call.shapes)
    if stack:
        args["Call stack"] = ";\r\n".join(stack)
    return args
