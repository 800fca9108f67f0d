"""Writes Paddle profiles as its recorder writes JSON, with the same rounding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.support.recordings.paddle.runs import PID

if TYPE_CHECKING:
    from tests.support.recordings.paddle.runs import Memory, Recording, Work

PYTHON_LANE = {"ProfileStep", "Forward", "Backward", "Dataloader", "Optimization", "PythonOp"}


def us(value: int) -> float:
    """Return nanoseconds as microseconds, as rounded as the recorder does."""
    return float(np.float32(np.float32(value) / np.float32(1000)))


def shown(value: int) -> str:
    """Return a duration as it stands behind names."""
    return f"{us(value) / 1000:.3f} ms" if value > 1_000_000 else f"{us(value):.3f} us"


def to_json(recording: Recording, *, span_key: str = "span_index") -> str:
    """Write a recording as JSON."""
    events: list[dict[str, Any]] = []
    base = min(child.start for node in recording.threads.values() for child in node.children)

    def slice_(one: Any, type_: str, pid: int, tid: Any, **args: Any) -> None:
        events.append(
            {
                "name": f"{one.name}[{shown(one.end - one.start)}]",
                "pid": pid,
                "tid": tid,
                "ts": one.start // 1000,
                "dur": round(us(one.end - one.start), 3),
                "ph": "X",
                "cat": type_,
                "cname": "thread_state_runnable",
                "args": {
                    "start_time": f"{us(one.start - base):.3f} us",
                    "end_time": f"{us(one.end - base):.3f} us",
                    **args,
                },
            }
        )

    for tid in recording.threads:
        for at, node in enumerate(recording.levels(tid)):
            lane = f"{tid}({'Python' if node.type in PYTHON_LANE else 'C++'})"
            if at:
                more = (
                    {"input_shapes": node.shapes, "input_dtypes": node.types}
                    | {"callstack": node.stack}
                    if node.type == "Operator"
                    else {}
                )
                slice_(node, node.type, PID, lane, **more)
            for call in node.calls:
                called = f"{tid}(C++)"
                number = {"correlation id": call.correlation}
                slice_(call, "CudaRuntime", PID, called, **number)
                arrow = {"name": "launch", "id": call.correlation, "cat": "async"}
                middle = (call.start + call.end) // 2000
                events.append({**arrow, "pid": PID, "tid": called, "ts": middle, "ph": "s"})
                for work in call.work:
                    slice_(work, work.type, work.device, work.stream, **_arguments(work), **number)
                    events.append(
                        {**arrow, "pid": work.device, "tid": work.stream, "ts": work.start // 1000}
                        | {"ph": "f"}
                    )
            events += [_memory_event(one, tid) for one in node.memory]
    events += [
        {
            "name": "thread_name",
            "pid": PID,
            "tid": f"{tid}(C++)",
            "ph": "M",
            "args": {"name": f"thread {tid}:{recording.extra.get(str(tid), '')}(C++)"},
        }
        for tid in recording.threads
    ]
    content = {
        "displayTimeUnit": "ms",
        "schemaVersion": "1.0.2",
        span_key: str(recording.span),
        "deviceProperties": recording.devices,
        "traceEvents": [*events, {}],
        "ExtraInfo": recording.extra,
    }
    return json.dumps(content, indent=1)


def _memory_event(one: Memory, tid: int) -> dict[str, Any]:
    keys = ("current_allocated", "current_reserved", "peak_allocated", "peak_reserved")
    return {
        "name": "[memory]",
        "pid": PID,
        "tid": f"{tid}(C++)",
        "ts": one.time // 1000,
        "ph": "i",
        "cat": one.kind,
        "args": {
            "place": one.place,
            "addr": str(one.address),
            "increase_bytes": one.change,
            **dict(zip(keys, one.totals, strict=True)),
        },
    }


def _arguments(work: Work) -> dict[str, Any]:
    found = work.detail
    plain = {"device": work.device, "context": 1, "stream": work.stream}
    if work.type == "Kernel":
        return plain | {
            "registers per thread": found["registers"],
            "shared memory": sum(found["shared"]),
            "blocks per SM": round(float(np.float32(found["blocks"])), 6),
            "warps per SM": round(float(np.float32(found["warps"])), 6),
            "grid": found["grid"],
            "block": found["block"],
            "theoretical achieved occupancy %": round(
                float(np.float32(found["occupancy"])) * 100, 3
            ),
        }
    if work.type == "Memset":
        return plain | {"bytes": found["bytes"], "value": 0}
    speed = found["bytes"] / (work.end - work.start)
    return {
        "stream": work.stream,
        "bytes": found["bytes"],
        "memory bandwidth (GB/s)": round(speed, 3),
    }
