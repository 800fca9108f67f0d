"""Small Chrome traces in the forms that other programs than PyTorch write."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Event = dict[str, Any]


def named(pid: int, name: str, threads: dict[int, str] | None = None) -> list[Event]:
    """Return the metadata of a process and its threads."""
    found: list[Event] = [
        {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}},
        {"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}},
    ]
    for tid, thread in (threads or {}).items():
        found.append(
            {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": thread}}
        )
    return found


def piece(name: str, pid: int, tid: int, ts: float, dur: float, **args: Any) -> Event:
    """Return a slice without a category."""
    return {"ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "name": name, "args": args}


def jax() -> list[Event]:
    """Return two steps on two GPUs: kernels, copies, and the lines that XLA derives from them."""
    streams = {1: "Stream #16(Compute)", 2: "Stream #17(MemcpyH2D)"}
    derived = {3: "XLA Modules", 4: "XLA Ops", 5: "Steps"}
    events = [*named(1, "/device:GPU:0", streams | derived), *named(2, "/device:GPU:1", streams)]
    events += named(701, "/host:CPU", {9: "python", 10: "tf_XLAEigen"})
    for step in range(2):
        at = 1000.0 * step
        events += [
            piece("PjitFunction(step)", 701, 9, at, 60),
            piece("$train.py:12 update", 701, 9, at - 5, 80),
            piece("cuLaunchKernel", 701, 9, at + 10, 4, correlation_id=str(10 + step)),
            piece("loop_fusion", 1, 1, at + 100, 40, correlation_id=str(10 + step), hlo_op="f.3"),
            piece("cutlass_gemm", 2, 1, at + 100, 60, correlation_id=str(20 + step)),
            piece("MemcpyH2D", 1, 2, at + 50, 7, correlation_id=str(30 + step)),
            piece("jit_step", 1, 3, at + 100, 40),
            piece("fusion.3", 1, 4, at + 100, 40),
            piece(str(step), 1, 5, at + 100, 40),
        ]
    return [*events, {}]


def tpu() -> list[Event]:
    """Return a TPU, which has no streams."""
    lines = {1: "Steps", 2: "XLA Modules", 3: "XLA Ops"}
    return [
        *named(3, "/device:TPU:0", lines),
        *named(7, "/host:CPU", {1: "main"}),
        piece("0", 3, 1, 0, 100),
        piece("jit_step", 3, 2, 0, 90),
        piece("fusion.1", 3, 3, 5, 30),
        piece("convolution.2", 3, 3, 40, 50),
        piece("TpuExecute", 7, 1, 0, 3),
    ]


def onnx_runtime() -> list[Event]:
    """Return a profile of ONNX Runtime with CUDA."""
    common = {"pid": 4242, "tid": 4243, "ph": "X"}
    return [
        {**common, "cat": "Session", "name": "model_run", "ts": 0, "dur": 900, "args": {}},
        {**common, "cat": "Node", "name": "conv_kernel_time", "ts": 10, "dur": 300,
         "args": {"op_name": "Conv", "provider": "CUDAExecutionProvider"}},
        {**common, "cat": "Kernel", "name": "implicit_convolve_sgemm", "ts": 50, "dur": 200,
         "args": {"op_name": "Conv", "stream": "7", "block_x": "256"}},
    ]  # fmt: skip


def viztracer() -> list[Event]:
    """Return a profile of VizTracer."""
    return [
        *named(11, "MainProcess", {11: "MainThread"}),
        {"ph": "X", "cat": "FEE", "name": "main (/a/b.py:3)", "pid": 11, "tid": 11, "ts": 1.5,
         "dur": 20.25},
        {"ph": "X", "cat": "FEE", "name": "sum", "pid": 11, "tid": 11, "ts": 2.5, "dur": 4},
    ]  # fmt: skip


def compiler() -> list[Event]:
    """Return begin and end events, as logs of compilers have them, in no order of time."""

    def half(phase: str, name: str, ts: float, tid: int = 0) -> Event:
        return {"ph": phase, "name": name, "cat": "dynamo_timed", "pid": 0, "tid": tid, "ts": ts,
                "args": {}}  # fmt: skip

    return [
        half("B", "entire_frame_compile", 0),
        half("E", "backend_compile", 80),
        half("B", "backend_compile", 20),
        half("B", "other thread", 30, 1),
        half("E", "entire_frame_compile", 100),
        half("E", "never began", 110),
        half("B", "never ends", 120),
        {"ph": "i", "name": "cache hit", "cat": "dynamo_timed", "pid": 0, "tid": 0, "ts": 150},
        half("E", "other thread", 160, 1),
    ]


def write(path: Path, events: Sequence[Event], *, bare: bool = False) -> Path:
    """Write events as a JSON object, or as a bare array; packed if the name says so."""
    text = json.dumps(list(events) if bare else {"displayTimeUnit": "ns", "traceEvents": events})
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
