"""Reads and writes Ascend directories, and the events of a `trace_view.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nbprof.sources import TraceFile, read
from nbprof.sources.ascend.file_names import CONTENT

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Event = dict[str, Any]

HOST, CANN, NPU, HCCL, BARS = 100, 102400 | 7 << 5, 102400 | 13 << 5, 102400 | 15 << 5, 103136

KERNEL_HEADER = (
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
    "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID"
)


def open_directory(output: Path) -> TraceFile:
    """Return the trace file that an `ASCEND_PROFILER_OUTPUT` directory is."""
    parts = tuple(path for path in sorted(output.iterdir()) if path.name in CONTENT)
    return TraceFile(
        run="run",
        worker="worker0",
        span=1,
        path=output,
        format="Ascend",
        bytes=sum(path.stat().st_size for path in parts),
        rank=0,
        world_size=None,
        host="",
        device_type="npu",
        devices="",
        parts=parts,
    )


def read_directory(output: Path, **options: Any) -> TraceModel:
    """Read an `ASCEND_PROFILER_OUTPUT` directory, silently."""
    return read(open_directory(output), **{"progress": False, **options})


def write(folder: Path, trace: Any = None, **tables: str) -> Path:
    """Write a directory of a trace, events or text, and of CSV files by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    if trace is not None:
        content = trace if isinstance(trace, str | bytes) else json.dumps(trace)
        raw = content.encode() if isinstance(content, str) else content
        (folder / "trace_view.json").write_bytes(raw)
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def said(pid: int, name: str, label: str = "", sort_index: int = 0) -> list[Event]:
    """Return the events that name a process."""
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}]
    if label:
        events.append(
            {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}}
        )
    index = {"sort_index": sort_index}
    return [*events, {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": index}]


def lane(pid: int, tid: int, name: str) -> Event:
    """Return the event that names a thread."""
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


LAYERS = [
    *said(HOST, "Python", "CPU"),
    *said(CANN, "CANN", "CPU", 7),
    *said(NPU, "Ascend Hardware", "NPU", 13),
    *said(HCCL, "HCCL", "NPU", 15),
    *said(BARS, "Overlap Analysis", "NPU", 23),
    lane(NPU, 2, "Stream 2"),
    lane(HCCL, 0, "Group 0 Communication"),
    lane(HCCL, 1, "Plane 0"),
    lane(BARS, 0, "Computing"),
]


def slice_(name: str, pid: int, tid: int, ts: Any, dur: Any = 1.0, **more: Any) -> Event:
    """Return a slice."""
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, **more}


def operator(name: str, ts: Any, dur: Any = 1.0, **args: Any) -> Event:
    """Return a call of an operator."""
    return slice_(name, HOST, 1, ts, dur, cat="cpu_op", args=args)


def task(name: str, ts: Any, dur: Any = 1.0, kind: str = "AI_CORE", **args: Any) -> Event:
    """Return a task of the hardware."""
    return slice_(name, NPU, 2, ts, dur, args={"Task Type": kind, "Stream Id": 2, **args})


def arrow(category: str, arrow_id: Any, *ends: tuple[int, int, Any]) -> list[Event]:
    """Return the ends of an arrow: process, thread and time of the first and the others."""
    named = {"cat": category, "name": category, "id": arrow_id, "bp": "e"}
    return [
        {"ph": "f" if number else "s", **named, "pid": pid, "tid": tid, "ts": ts}
        for number, (pid, tid, ts) in enumerate(ends)
    ]


def kernel_row(name: str, start: str, duration: str, core: str = "AI_CORE", step: str = "1") -> str:
    """Return a line of `kernel_details.csv`."""
    stream = "N/A" if core == "HCCL" else "2"
    cells = [step, "0", "1", "7", stream, name, "Type", "dynamic", core, f"{start}\t", duration]
    return ",".join([*cells, "0", "8", "0", "NO", *["N/A"] * 7])


def kernel_table(*rows: str) -> str:
    """Return a `kernel_details.csv`."""
    return "\n".join([KERNEL_HEADER, *rows]) + "\n"


def warning_kinds(model: TraceModel) -> dict[str, int]:
    """Return how often each kind of warning was counted."""
    return {warning.kind: warning.count for warning in model.warnings}


def column(model: TraceModel, table: str, name: str) -> list[Any]:
    """Return a column as plain values."""
    values: list[Any] = model.tables[table].column(name).to_pylist()
    return values
