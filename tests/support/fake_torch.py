"""Stands for PyTorch where it is not installed: a profiler that records named slices.

It keeps the rules of `torch.profiler` that matter here: a schedule of actions, marks of steps,
results that are saved once ("Trace is already saved"), and events in the text that Kineto writes.
`tests/sources/kineto/test_torch.py` runs the same with PyTorch itself.
"""

from __future__ import annotations

import enum
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


class ProfilerAction(enum.Enum):
    """Actions of a schedule."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ProfilerActivity(enum.Enum):
    """Kinds of work."""

    CPU = 0
    CUDA = 1


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class Results:
    """What was recorded; saved once."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self._events = events
        self._saved = False

    def events(self) -> list[dict[str, Any]]:
        """Return the events."""
        return self._events

    def save(self, path: str) -> None:
        """Write the events, as Kineto does."""
        if self._saved:
            message = "Trace is already saved."
            raise RuntimeError(message)
        self._saved = True
        text = ",\n".join(json.dumps(event, indent=2) for event in self._events)
        trace = f'{{\n"schemaVersion": 1,\n"traceEvents": [\n{text}\n],"traceName": "{path}" }}'
        Path(path).write_text(trace)


class Inner:
    """The `torch.autograd.profiler.profile` behind a profiler."""

    trace_id = ""

    def __init__(self) -> None:
        self.kineto_results: Any = None


class _KinetoProfile:
    """The base class that nbprof knows by name."""


class profile(_KinetoProfile):  # noqa: N801 - the name of the original
    """A profiler with the attributes of `torch.profiler.profile` that nbprof uses."""

    running: Any = None

    def __init__(
        self,
        *,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], object] | None = None,
        **options: Any,
    ) -> None:
        self.options = options
        self.schedule = schedule or (lambda _: ProfilerAction.RECORD)
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.profiler: Inner | None = None
        self.step_num = 0
        self._action = self.schedule(0)
        self._events: list[dict[str, Any]] = []
        self._began = 0

    def record(self, name: str, **more: Any) -> None:
        """Record a slice of one microsecond, if this is recording."""
        if self._action in _RECORDING:
            self._add(name, time.time_ns() - 1000, "cpu_op", **more)

    def start(self) -> None:
        """Begin the schedule."""
        profile.running = self
        self._began = time.time_ns()
        self._prepare(ProfilerAction.NONE)

    def step(self) -> None:
        """End a step."""
        self._mark()
        before, self.step_num = self._action, self.step_num + 1
        self._action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._save()
        self._prepare(before)
        self._began = time.time_ns()

    def stop(self) -> None:
        """End the schedule."""
        self._mark()
        profile.running = None
        if self._action in _RECORDING:
            self._save()

    def __enter__(self) -> profile:  # noqa: PYI034 - typing.Self is newer than 3.10
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def export_chrome_trace(self, path: str) -> None:
        """Write the last recording."""
        assert self.profiler is not None
        self.profiler.kineto_results.save(path)

    def _prepare(self, before: ProfilerAction) -> None:
        fresh = before in (ProfilerAction.NONE, ProfilerAction.RECORD_AND_SAVE)
        if fresh and self._action is not ProfilerAction.NONE:
            self.profiler = Inner()

    def _save(self) -> None:
        assert self.profiler is not None
        self.profiler.kineto_results = Results(self._events)
        self._events = []
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _mark(self) -> None:
        if self.record_steps and self._action in _RECORDING:
            self._add(f"ProfilerStep#{self.step_num}", self._began, "user_annotation")

    def _add(self, name: str, start_ns: int, category: str, **more: Any) -> None:
        taken = time.time_ns() - start_ns
        event = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1}
        times = {"ts": start_ns / 1000, "dur": taken / 1000}
        self._events.append({**event, **times, "args": {"External id": 1}, **more})


for _class in (profile, _KinetoProfile):
    _class.__module__ = "torch.profiler.profiler"


def install(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put the stand-in where `torch` and `torch.profiler` are imported from; return the latter."""
    torch, profiler = ModuleType("torch"), ModuleType("torch.profiler")
    for name, value in {
        "profile": profile,
        "ProfilerAction": ProfilerAction,
        "ProfilerActivity": ProfilerActivity,
        "supported_activities": lambda: {ProfilerActivity.CPU},
        "record": lambda name: profile.running is not None and profile.running.record(name),
    }.items():
        setattr(profiler, name, value)
    setattr(torch, "profiler", profiler)  # noqa: B010 - a module has no such attribute
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.profiler", profiler)
    return profiler
