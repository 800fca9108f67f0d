"""Writes the tables of a rank: kernels, operators, memory, time of steps."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from .machine import CORES
from .spans import length, overlap_analysis, union, without
from .trace_view import time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .records import Recording, Task

KB, MB = 1024, 1 << 20
NONE = "N/A"
#: What the graph engine and the driver hold besides, in MB.
ENGINE, DRIVER = 74.8, 404.0625


def kernel_details(path: Path, recording: Recording) -> None:
    """Write one row a kernel and collective, with the metrics of the AI Cores."""
    head = (
        "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
        "Start Time(us),Duration(us),Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,"
        "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
        "Output Formats,Context ID,aicore_time(us),aic_mac_ratio,aiv_time(us),aiv_vec_ratio,"
        "cube_utilization(%)"
    )
    kernels = [task for task in recording.tasks if task.core]
    _write(path, head, (_kernel(task, recording.rank) for task in kernels))


def _kernel(task: Task, device: int) -> list[object]:
    start = [f"{time(task.start)}\t", task.duration / 1000, task.wait / 1000]
    if task.core not in CORES:
        name = [task.step, device, 4294967295, NONE, NONE, task.name, task.type, NONE, "HCCL"]
        return [*name, *start, 0, *[NONE] * 9, *[NONE] * 5]
    name = [task.step, device, 4294967295, task.task, task.stream, task.name, task.type, "dynamic"]
    cube = task.core in ("AI_CORE", "MIX_AIC")
    busy = round(task.duration * 0.94 / 1000, 3)
    metrics = [busy, 0.78, 0.0, 0.0, 86.4] if cube else [0.0, 0.0, busy, 0.62, 0]
    return [
        *name, task.core, *start, task.blocks, 0, "NO",
        *_tensors(task.inputs), *_tensors(task.outputs), NONE, *metrics,
    ]  # fmt: skip


def _tensors(shapes: list[list[int]]) -> list[object]:
    shown = ";".join(",".join(map(str, shape)) for shape in shapes)
    return [f'"{shown}"', ";".join("FLOAT" for _ in shapes), ";".join("ND" for _ in shapes)]


def operator_details(path: Path, recording: Recording) -> None:
    """Write one row a call of an operator, in the order of their starts."""
    head = (
        "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
        "Device Self Duration(us),Device Total Duration(us),"
        "Device Self Duration With AICore(us),Device Total Duration With AICore(us)"
    )
    rows = sorted(recording.operators, key=lambda row: (row.start, -row.end))
    _write(
        path,
        head,
        (
            [
                row.name,
                ";\n".join(",".join(map(str, shape)) for shape in row.shapes),
                ";\n".join(row.stack),
                *(
                    value / 1000
                    for value in (
                        row.host_self,
                        row.end - row.start,
                        row.device_self,
                        row.device_total,
                        row.core_self,
                        row.core_total,
                    )
                ),
            ]
            for row in rows
        ),
    )


def operator_memory(path: Path, recording: Recording) -> None:
    """Write one row a block of memory."""
    head = (
        "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
        "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
        "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
        "Release Total Active(MB),Stream Ptr,Device Type"
    )
    device = f"NPU:{recording.rank}"
    rows = []
    for block in recording.blocks:
        then, held = block.allocated_then / MB, block.reserved_then / MB
        start = [block.name, block.size / KB, f"{time(block.allocated_at)}\t"]
        if block.released_at is None:
            rows.append([*start, *[""] * 4, then, held, then, "", "", "", 8972, device])
            continue
        end, lasts = f"{time(block.released_at)}\t", (block.released_at - block.allocated_at) / 1000
        after = [block.allocated_after / MB, block.reserved_after / MB, block.allocated_after / MB]
        rows.append([*start, end, end, lasts, lasts, then, held, then, *after, 8972, device])
    _write(path, head, rows)


def memory_record(path: Path, recording: Recording) -> None:
    """Write the memory of each component over time."""
    head = (
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
        "Stream Ptr,Device Type"
    )
    device = f"NPU:{recording.rank}"
    changes = _changes(recording)
    first = recording.steps[0].start
    rows: list[list[object]] = [
        ["GE", f"{time(first)}\t", ENGINE, ENGINE, ENGINE, 8972, device],
    ]
    for moment, allocated, reserved in changes:
        for name, more in (("PTA+GE", ENGINE), ("PTA", 0)):
            now = allocated / MB + more
            held = reserved / MB + more
            rows.append([name, f"{time(moment)}\t", now, held, now, 8972, device])
    highest = 0
    for moment, _, reserved in changes:
        if reserved > highest:
            held = reserved / MB + ENGINE + DRIVER
            rows.append(["APP", f"{time(moment)}\t", "", held, "", "", device])
            highest = reserved
    _write(path, head, rows)


def npu_module_mem(path: Path, recording: Recording) -> None:
    """Write what modules of the driver hold."""
    device = f"NPU:{recording.rank}"
    rows: list[list[object]] = []
    for step in recording.steps:
        for name, held in (("SLOG", 0.0), ("GE", 76.0), ("HCCL", DRIVER), ("RUNTIME", 92.2)):
            rows.append([recording.rank, name, f"{time(step.start)}\t", held, device])
    _write(path, "Device_id,Component,Timestamp(us),Total Reserved(MB),Device", rows)


def step_trace_time(path: Path, recording: Recording) -> None:
    """Write what the time of every step goes to."""
    head = (
        "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,"
        "Stage,Bubble,Communication(Not Overlapped and Exclude Receive),Preparing"
    )
    rows = []
    for step in recording.steps:
        tasks = [task for task in recording.tasks if task.step == step.number]
        lanes = overlap_analysis(tasks)
        alone = without(lanes["Communication"], lanes["Computing"])
        busy = union(lanes["Computing"] + lanes["Communication"])
        communication = length(lanes["Communication"])
        first = min(task.start for task in tasks)
        values = [
            length(lanes["Computing"]),
            length(alone),
            communication - length(alone),
            communication,
            length(lanes["Free"]),
            busy[-1][1] - busy[0][0],
            0,
            length(alone),
            first - step.start,
        ]
        rows.append([recording.rank, step.number, *(value / 1000 for value in values)])
    _write(path, head, rows)


def _changes(recording: Recording) -> list[tuple[int, int, int]]:
    """Return when memory changed, and what was allocated and reserved then."""
    found = [(b.allocated_at, b.allocated_then, b.reserved_then) for b in recording.blocks]
    found += [
        (b.released_at, b.allocated_after, b.reserved_after)
        for b in recording.blocks
        if b.released_at is not None
    ]
    return sorted(found)


def _write(path: Path, head: str, rows: Iterable[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        file.write(f"{head}\n")
        writer.writerows(rows)
