"""Threads with a clock, nested slices on them, and the trace file they end up in.

Time is integer nanoseconds from `BASE_NS`, the epoch that the file names. Of floats only sums,
products and quotients are used, whose results IEEE 754 fixes: the same file on every machine.
"""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: `baseTimeNanoseconds`, which the profiler takes in steps of a quarter of a year.
BASE_NS = 224 * 7_889_238_000_000_000
#: When the training begins: 2026-03-02 09:00 UTC.
START_NS = 1_772_442_000_000_000_000 - BASE_NS

#: How much slower an operator is while the profiler writes down its inputs.
PROFILED = 2.0

Args = dict[str, Any]
#: An input of an operator: dimensions, a list of dimensions, or the text of a scalar.
Input: TypeAlias = "Sequence[object]"


class Long(tuple[int, ...]):
    """Dimensions of a tensor of int64 rather than float32."""

    __slots__ = ()


@dataclass
class Annotation:
    """A user annotation of a thread; `spans` says when its work ran on each stream."""

    event: Args
    external_id: int
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def cover(self, stream: int, start: int, end: int) -> None:
        """Extend the device side of this annotation over a piece of work."""
        first, last = self.spans.get(stream, (start, end))
        self.spans[stream] = (min(first, start), max(last, end))


class Recorder:
    """The events of one process; it drops them while `recording` is off, as a warm-up does."""

    def __init__(self, pid: int, device: int, seed: int) -> None:
        self.pid = pid
        self.device = device
        self.random = random.Random(seed)
        self.recording = False
        self.events: list[Args] = []
        self.threads: list[Thread] = []
        self.annotations: list[Annotation] = []
        self._counters: dict[str, int] = {}

    def count(self, what: str) -> int:
        """Return the next number of a series, from 1."""
        self._counters[what] = self._counters.get(what, 0) + 1
        return self._counters[what]

    def vary(self, value: float, spread: float = 0.15) -> float:
        """Return a value with random variation; `spread` is about its standard deviation."""
        throw = self.random.random() + self.random.random() + self.random.random() - 1.5
        return value * (1 + 2 * spread * throw)

    def add(self, event: Args) -> Args:
        """Keep an event, if it is recorded at all."""
        if self.recording:
            self.events.append(event)
        return event

    def flow(self, point: str, kind: str, number: int, start: int, lane: tuple[int, int]) -> None:
        """Add an end ("s" or "f") of an arrow; `lane` is (process or device, thread or stream)."""
        event = {"ph": point, "id": number, "cat": kind, "name": kind}
        event |= {"pid": lane[0], "tid": lane[1]}
        self.add({**event, "ts": start} | ({"bp": "e"} if point == "f" else {}))

    def mirror_annotations(self) -> None:
        """Add the device side of each annotation: one slice on every stream that it used."""
        for annotation in self.annotations:
            for stream, (start, end) in annotation.spans.items():
                event = {**annotation.event, "cat": "gpu_user_annotation", "pid": self.device}
                event |= {"tid": stream, "ts": start, "dur": end - start}
                self.add(event | {"args": {"External id": annotation.external_id}})


class Thread:
    """One thread of the process: a clock, and the slices that are open on it."""

    def __init__(self, recorder: Recorder, tid: int, name: str) -> None:
        self.recorder = recorder
        self.tid = tid
        self.name = name
        self.now = START_NS
        self.operators: list[int] = []  # their external ids
        self.annotations: list[Annotation] = []
        self.frames: list[int] = []
        recorder.threads.append(self)

    @property
    def lane(self) -> tuple[int, int]:
        """Where its events go: process and thread."""
        return self.recorder.pid, self.tid

    def spend(self, microseconds: float, spread: float = 0.15) -> None:
        """Let time pass on this thread."""
        self.now += max(round(1000 * self.recorder.vary(microseconds, spread)), 1)

    def wait_until(self, moment: int) -> None:
        """Let time pass up to a moment, if that lies ahead."""
        self.now = max(self.now, moment)

    @contextmanager
    def slice(self, category: str, name: str, args: Args) -> Iterator[Args]:
        """Open a slice of any kind; it closes at the thread's clock."""
        event: Args = {"ph": "X", "cat": category, "name": name, "pid": self.recorder.pid}
        event |= {"tid": self.tid, "ts": self.now, "dur": 0, "args": args}
        self.recorder.add(event)
        yield event
        event["dur"] = self.now - event["ts"]

    @contextmanager
    def operator(
        self,
        name: str,
        inputs: Sequence[Input] = (),
        *,
        cost: float = 3.0,
        sequence: int | None = None,
        backward: bool = False,
        extra: Args | None = None,
    ) -> Iterator[None]:
        """Open an operator; `cost` is its own time in µs, most of it spent before its children.

        A `sequence` number joins the forward and the backward side of a step of autograd.
        """
        args: Args = {"External id": self.recorder.count("external"), "Record function id": 0}
        if sequence is not None:
            args |= {"Sequence number": sequence, "Fwd thread id": int(backward)}
        args |= _describe(inputs) | (extra or {})
        with self.slice("cpu_op", name, args):
            self.operators.append(args["External id"])
            self.spend(0.7 * cost * PROFILED)
            yield
            self.spend(0.3 * cost * PROFILED)
            self.operators.pop()

    @contextmanager
    def annotation(self, name: str) -> Iterator[None]:
        """Open a user annotation (`record_function` and its like)."""
        args = {"External id": self.recorder.count("external"), "Record function id": 0}
        with self.slice("user_annotation", name, args) as event:
            opened = Annotation(event, args["External id"])
            if self.recorder.recording:
                self.recorder.annotations.append(opened)
            self.annotations.append(opened)
            self.spend(5)
            yield
            self.spend(3)
            self.annotations.pop()

    @contextmanager
    def frame(self, *names: str, module: str = "") -> Iterator[None]:
        """Open Python frames, the outermost first; `module` stands first, as `Conv2d_3`."""
        if not names and not module:
            yield
            return
        first, rest = (f"nn.Module: {module}", names) if module else (names[0], names[1:])
        number = self.recorder.count("python")
        parent = self.frames[-1] if self.frames else None
        args: Args = {"Python parent id": parent, "Python id": number}
        if module:
            args["Python module id"] = int(module.rsplit("_", 1)[1])
        with self.slice("python_function", first, args):
            self.frames.append(number)
            self.spend(1.3)
            with self.frame(*rest):
                yield
            self.spend(0.9)
            self.frames.pop()

    def memory(self, address: int, size: int, allocated: int, reserved: int) -> None:
        """Record that device memory was taken (or given back: a negative size)."""
        args = {"Total Reserved": reserved, "Total Allocated": allocated, "Bytes": size}
        args |= {"Addr": address, "Device Id": self.recorder.device, "Device Type": 1}
        event: Args = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]"}
        event |= {"pid": self.recorder.pid, "tid": self.tid, "ts": self.now, "args": args}
        self.recorder.add(event)
        self.spend(0.3)

    def host_memory(self, address: int, size: int, allocated: int) -> None:
        """Record that memory of the CPU was taken or given back; it is in the cost of the call."""
        args = {"Total Reserved": 0, "Total Allocated": allocated, "Bytes": size}
        args |= {"Addr": address, "Device Id": -1, "Device Type": 0}
        event: Args = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]"}
        event |= {"pid": self.recorder.pid, "tid": self.tid, "ts": self.now, "args": args}
        self.recorder.add(event)


def _describe(inputs: Sequence[Input]) -> Args:
    """Return the arguments that `record_shapes` adds."""
    if not inputs:
        return {}
    dims = [[] if isinstance(value, str) else value for value in inputs]
    return {
        "Concrete Inputs": [value if isinstance(value, str) else "" for value in inputs],
        "Input type": [_type(value) for value in inputs],
        "Input Strides": [_strides(value) for value in dims],
        "Input Dims": dims,
    }


def _type(value: Input) -> str:
    if isinstance(value, list):
        return "TensorList"
    if isinstance(value, str):
        return "ScalarList" if value.startswith("[") else "Scalar" if value else ""
    return "long int" if isinstance(value, Long) else "float"


def _strides(dims: Any) -> list[Any]:
    if isinstance(dims, list):
        return [_strides(one) for one in dims]
    strides: list[int] = []
    step = 1
    for size in reversed(dims):
        strides.insert(0, step)
        step *= size
    return strides


def to_text(header: Args, events: Sequence[Args]) -> str:
    """Return a trace file: the header's keys, then one event a line, in time order.

    Times become microseconds with three decimals, so that no nanosecond is lost.
    """
    lines = []
    numbered = 0
    for event in sorted(events, key=lambda one: (one["ts"], -one.get("dur", 0))):
        args: Any = event.get("args")
        if event.get("cat") in {
            "cpu_op",
            "user_annotation",
            "python_function",
            "cpu_instant_event",
        }:
            args = {**args, "Ev Idx": numbered}
            numbered += 1
        rest = {key: event[key] for key in event if key not in {"ts", "dur", "args"}}
        text = json.dumps(rest)[:-1] + f', "ts": {_microseconds(event["ts"])}'
        if "dur" in event:
            text += f', "dur": {_microseconds(event["dur"])}'
        lines.append(text + (f', "args": {json.dumps(args)}}}' if args is not None else "}"))
    head = json.dumps(header, indent=1)[:-2]
    return f'{head},\n "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"


def _microseconds(nanoseconds: int) -> str:
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"
