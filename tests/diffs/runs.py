"""Writes small training runs whose operators can be slowed down, inserted, removed or renamed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import nbprof
from tests.support.traces import write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Event = dict[str, Any]


@dataclass(frozen=True)
class Op:
    """An operator of a step: its host time, and the kernel that it launches, in µs.

    `module` is the path of modules around it, outermost first; `backward` says whether it has a
    counterpart in the backward pass, of the same times.
    """

    name: str
    host: float = 20.0
    device: float = 0.0
    stream: int = 7
    kernel: str = ""
    module: tuple[str, ...] = ()
    backward: bool = False
    shapes: str = "[[4, 4]]"


NET = (
    Op("aten::conv2d", 30, 60, module=("Net", "Conv"), backward=True),
    Op("aten::relu", 10, 12, module=("Net", "ReLU"), backward=True),
    Op("aten::linear", 25, 80, module=("Net", "Linear"), backward=True),
    Op("aten::linear", 25, 40, module=("Net", "Linear"), backward=True),
    Op("aten::cross_entropy", 18, 9),
    Op("aten::add_", 6, 4),
    Op("aten::add_", 6, 4),
)


def changed(ops: Sequence[Op], at: int, **fields: Any) -> list[Op]:
    """Return the operators with fields of one of them replaced."""
    return [replace(op, **fields) if place == at else op for place, op in enumerate(ops)]


def run(
    path: Path,
    ops: Sequence[Op] = NET,
    *,
    steps: int = 6,
    first: int = 3,
    jitter: float = 0.01,
    seed: int = 0,
    device: str = "NVIDIA A100",
) -> str:
    """Write a run of some steps, and return its path.

    The times of step k are longer by the share `jitter` times a number from -2 to 2 that depends on
    k and `seed`, so that the spread over steps is known.
    """
    every = [ops] * steps
    return run_of_steps(path, every, first=first, jitter=jitter, seed=seed, device=device)


def run_of_steps(
    path: Path,
    steps: Sequence[Sequence[Op]],
    *,
    first: int = 3,
    jitter: float = 0.01,
    seed: int = 0,
    device: str = "NVIDIA A100",
) -> str:
    """Write a run whose steps have operators of their own, and return its path; see `run`."""
    writer = _Writer()
    for step, ops in enumerate(steps):
        factor = 1 + jitter * ((step * 3 + seed) % 5 - 2)
        writer.step(first + step, ops, factor)
    properties = [{"id": 0, "name": device, "totalGlobalMem": 2**34}]
    return str(write(path / "worker0.pt.trace.json", writer.events, deviceProperties=properties))


def diff_of(
    folder: Path, baseline: Sequence[Op], candidate: Sequence[Op], **options: Any
) -> nbprof.Diff:
    """Compare two runs of operators; options of `run` apply to both."""
    sides = (("a", baseline, 0), ("b", candidate, 2))
    paths = [run(folder / name, ops, seed=seed, **options) for name, ops, seed in sides]
    return nbprof.diff(*paths)


class _Writer:
    """Collects the events of a run."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._now = 1000.0
        self._free: dict[int, float] = {}
        self._ids = 0

    def step(self, number: int, ops: Sequence[Op], factor: float) -> None:
        """Add a step: the forward pass with its modules, then the backward pass."""
        begin = self._now
        self._now += 2
        open_: list[tuple[str, float]] = []
        links = []
        for op in ops:
            while open_ and [name for name, _ in open_] != list(op.module[: len(open_)]):
                self._close(*open_.pop())
            for name in op.module[len(open_) :]:
                open_.append((name, self._now))
                self._now += 1
            links.append((op, self._operator(op, factor)))
            if open_:  # two calls of one module in a row are two calls
                self._close(*open_.pop())
        while open_:
            self._close(*open_.pop())
        for op, forward in reversed(links):
            if op.backward:
                back = replace(op, name=f"{op.name.removeprefix('aten::')}Backward0", shapes="")
                start = self._operator(back, factor, tid=2)
                self._arrow(forward, start)
        self._now = max(self._now, *self._free.values(), 0.0) + 5  # waits for the device
        name = f"ProfilerStep#{number}"
        self._add(name, begin, self._now - begin, cat="user_annotation")
        self._now += 1

    def _close(self, name: str, start: float) -> None:
        self._now += 1
        args = {"Python id": self._next(), "Python module id": 0}
        label = f"nn.Module: {name}_0"
        self._add(label, start, self._now - start, cat="python_function", args=args)

    def _operator(self, op: Op, factor: float, tid: int = 1) -> float:
        start, length = self._now, op.host * factor
        args = {"Input Dims": _dims(op.shapes)} if op.shapes else {}
        args["External id"] = self._next()
        self._add(op.name, start, length, tid=tid, args=args)
        if op.device:
            number, call = self._next(), start + 1
            launch = {"cat": "cuda_runtime", "args": {"correlation": number}}
            self._add("cudaLaunchKernel", call, 2, tid=tid, **launch)
            at = max(call + 4, self._free.get(op.stream, 0.0))
            self._free[op.stream] = at + op.device * factor
            work = {"device": 0, "stream": op.stream, "correlation": number}
            kernel = op.kernel or f"{op.name.removeprefix('aten::')}_kernel"
            self._add(kernel, at, op.device * factor, pid=0, tid=op.stream, cat="kernel", args=work)
        self._now = start + length + 2
        return start

    def _arrow(self, forward: float, backward: float) -> None:
        number = self._next()
        for phase, time, tid in (("s", forward, 1), ("f", backward, 2)):
            event = {"ph": phase, "id": number, "pid": 1, "tid": tid, "ts": time, "cat": "fwdbwd"}
            self.events.append({**event, "name": "fwdbwd", "bp": "e"})

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def _add(self, name: str, ts: float, dur: float, **more: Any) -> None:
        times = {"ts": round(ts, 3), "dur": round(dur, 3)}
        event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, **times}
        self.events.append({**event, **more})


def _dims(text: str) -> Any:
    import json

    return json.loads(text)
