"""Writes `trace_view.json`: the timeline of a rank, as a bare array of events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .machine import AUTOGRAD, CANN_MAIN, CANN_QUEUE, MAIN, QUEUE, TRANSFER
from .spans import overlap_analysis

if TYPE_CHECKING:
    from pathlib import Path

    from .records import Recording, Task

Event = dict[str, object]

#: Process and thread of each lane of the host, as offsets from the rank's own numbers.
HOST_LANES = {
    MAIN: ("Python", 0),
    AUTOGRAD: ("Python", 11),
    QUEUE: ("Python", 12),
    CANN_MAIN: ("CANN", 0),
    CANN_QUEUE: ("CANN", 12),
}
#: Processes in the order of the screen, and what they are labelled.
PROCESSES = {
    "Python": "CPU",
    "CANN": "CPU",
    "Ascend Hardware": "NPU",
    "AI Core Freq": "NPU",
    "HCCL": "NPU",
    "NPU MEM": "NPU",
    "Overlap Analysis": "NPU",
}
OVERLAPS = ("Computing", "Communication", "Communication(Not Overlapped)", "Free")
PLANES = 2


def time(nanoseconds: int) -> str:
    """Return microseconds as text, with every digit."""
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def write(path: Path, recording: Recording) -> None:
    """Write the events of a rank."""
    events = _Events(recording)
    events.metadata()
    events.host()
    events.device()
    events.counters()
    events.arrows()
    path.write_text(json.dumps(events.events, separators=(",", ":")), encoding="utf-8")


class _Events:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events: list[Event] = []
        base = 400_000 + 1000 * recording.rank
        self._pids = {name: base + 50 * place for place, name in enumerate(PROCESSES)}
        self._main = base

    def metadata(self) -> None:
        for place, (name, label) in enumerate(PROCESSES.items()):
            pid = self._pids[name]
            self._named(pid, 0, "process_name", name=name)
            self._named(pid, 0, "process_labels", labels=label)
            self._named(pid, 0, "process_sort_index", sort_index=place)
        for process, offset in HOST_LANES.values():
            tid = self._main + offset
            self._named(self._pids[process], tid, "thread_name", name=f"Thread {tid}")
        for stream in sorted({task.stream for task in self.recording.tasks}):
            self._named(
                self._pids["Ascend Hardware"], stream, "thread_name", name=f"Stream {stream}"
            )
        self._named(self._pids["HCCL"], 0, "thread_name", name="Group 0 Communication")
        for plane in range(PLANES):
            self._named(self._pids["HCCL"], plane + 1, "thread_name", name=f"Plane {plane}")
        for place, name in enumerate(OVERLAPS):
            self._named(self._pids["Overlap Analysis"], place, "thread_name", name=name)

    def host(self) -> None:
        for slice_ in self.recording.slices:
            pid, tid = self._host(slice_.lane)
            event = self._slice(slice_.name, pid, tid, slice_.start, slice_.end - slice_.start)
            if slice_.category:
                event["cat"] = slice_.category
            if slice_.args:
                event["args"] = slice_.args

    def device(self) -> None:
        for task in self.recording.tasks:
            if task.stream == TRANSFER:
                self._collective(task)
                continue
            name = task.name
            event = self._slice(
                name, self._pids["Ascend Hardware"], task.stream, task.start, task.duration
            )
            event["args"] = {
                "Model Id": 4294967295,
                "Task Type": task.task_type,
                "Physic Stream Id": task.stream,
                "Task Id": task.task,
                "Batch Id": 0,
                "Subtask Id": 4294967295,
                "connection_id": task.connection,
            }
        lanes = overlap_analysis(self.recording.tasks)
        for place, name in enumerate(OVERLAPS):
            for start, end in lanes[name]:
                self._slice(name, self._pids["Overlap Analysis"], place, start, end - start)

    def _collective(self, task: Task) -> None:
        """Write a collective, and the transfers that it is made of."""
        pid = self._pids["HCCL"]
        event = self._slice(task.name, pid, 0, task.start, task.duration)
        count = task.inputs[0][0]
        event["args"] = {
            "connection_id": task.connection,
            "data_type": "FP32",
            "alg_type": "MESH",
            "count": count,
        }
        found = next(one for one in self.recording.collectives if one.name == task.name)
        moving = found.end - found.transfer
        for plane in range(PLANES):
            waits = self._slice(
                "Notify_Wait", pid, plane + 1, task.start + 400, max(0, moving - task.start - 400)
            )
            waits["args"] = {
                "task type": "Notify_Wait",
                "src rank": 1 - plane,
                "dst rank": plane,
                "transport type": "SDMA",
                "size(Byte)": 0,
            }
            moves = self._slice("Memcpy", pid, plane + 1, moving, found.transfer)
            moves["args"] = {
                "task type": "Memcpy",
                "src rank": plane,
                "dst rank": 1 - plane,
                "transport type": "SDMA",
                "size(Byte)": found.size // PLANES,
            }

    def counters(self) -> None:
        first = self.recording.steps[0].start
        self._counter("AI Core Freq", "AI Core Freq", first, MHz=1800)
        changes = [(b.allocated_at, b.reserved_then) for b in self.recording.blocks]
        reserved = 0
        for moment, now in changes:
            if now != reserved:
                self._counter("NPU MEM", "APP/HBM", moment, KB=now / 1024)
                reserved = now

    def arrows(self) -> None:
        for arrow in self.recording.arrows:
            for phase, lane, moment in (
                ("s", arrow.start_lane, arrow.start),
                ("f", arrow.end_lane, arrow.end),
            ):
                pid, tid = self._lane(lane)
                event: Event = {
                    "ph": phase,
                    "bp": "e",
                    "name": arrow.name,
                    "id": arrow.id,
                    "pid": pid,
                    "tid": tid,
                    "ts": time(moment),
                    "cat": arrow.category,
                }
                self.events.append(event)

    def _lane(self, lane: str) -> tuple[int, int]:
        if not lane.startswith("stream "):
            return self._host(lane)
        stream = int(lane.removeprefix("stream "))
        if stream == TRANSFER:
            return self._pids["HCCL"], 0
        return self._pids["Ascend Hardware"], stream

    def _host(self, lane: str) -> tuple[int, int]:
        process, offset = HOST_LANES[lane]
        return self._pids[process], self._main + offset

    def _slice(self, name: str, pid: int, tid: int, start: int, duration: int) -> Event:
        event: Event = {
            "ph": "X",
            "name": name,
            "pid": pid,
            "tid": tid,
            "ts": time(start),
            "dur": duration / 1000,
        }
        self.events.append(event)
        return event

    def _counter(self, process: str, name: str, moment: int, **values: float) -> None:
        event: Event = {
            "ph": "C",
            "name": name,
            "pid": self._pids[process],
            "tid": 0,
            "ts": time(moment),
            "args": values,
        }
        self.events.append(event)

    def _named(self, pid: int, tid: int, kind: str, **args: object) -> None:
        self.events.append({"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args})
