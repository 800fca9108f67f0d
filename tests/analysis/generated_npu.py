"""Generates random NPU profiles: nested operators that queue kernels, and times that add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.support.npu import make_npu

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]

CORES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AI_CPU", "HCCL", None)
#: What torch_npu counts as AI Cores, and what AI Cores are.
COUNTED = {"AI_CORE", "AI_VECTOR_CORE"}
STEP = 10_000


def recording(seed: int, *, timed: bool = True, steps: int = 3) -> tuple[TraceModel, list[Row]]:
    """Make a recording, and what is true of its operators.

    Parameters
    ----------
    seed : int
        Chooses it.
    timed : bool
        Whether there is a trace beside the sums; else operators have no times of day.
    steps : int
        How many.

    Returns
    -------
    model : TraceModel
        The recording.
    calls : list of dict
        Operators in the order of the file: name, shapes, stack, step, thread, start, parent (place
        in the list), kernels (places of the device rows that it asked for itself) and the times.
    """
    rng = np.random.default_rng(seed)
    calls: list[Row] = []
    host: list[Row] = []
    device: list[Row] = []
    flows: list[Row] = []
    for step in range(steps):
        low = step * STEP
        host.append(
            {"name": f"ProfilerStep#{step + 4}", "kind": "step", "start": low, "end": low + STEP}
        )
        at = low + 10
        for _ in range(int(rng.integers(1, 5))):
            at = _operator(rng, calls, (at, -1, step, int(rng.integers(1, 3))), 0) + 5
    for call in calls:
        host.append(
            {
                "name": call["name"],
                "start": call["start"],
                "end": call["end"],
                "tid": call["thread"],
            }
        )
        for _ in range(int(rng.integers(0, 3))):
            _kernel(rng, call, device, flows)
    order = sorted(
        range(len(calls)), key=lambda i: (calls[i]["start"], -calls[i]["end"], calls[i]["thread"])
    )
    place = {old: new for new, old in enumerate(order)}
    calls = [calls[i] for i in order]
    for call in calls:
        call["parent"] = place.get(call["parent"], -1)
    _add_up(calls, device)
    return _model(calls, host if timed else [], device, flows if timed else []), calls


def _operator(
    rng: np.random.Generator, calls: list[Row], where: tuple[int, int, int, int], depth: int
) -> int:
    """Add an operator and those inside it; return where it ends."""
    start, parent, step, thread = where
    number = len(calls)
    call: Row = {
        "name": f"aten::op{rng.integers(4)}",
        "shapes": str(rng.choice(["[[2, 3], []]", "[[4]]"])),
        "stack": str(rng.choice(["a.py(1): f", "b.py(2): g;a.py(3): h"])),
        "step": step,
        "thread": thread,
        "start": start,
        "parent": parent,
        "kernels": [],
        "host_self_us": float(rng.integers(1, 50)) / 8,
        "host_total_us": float(rng.integers(50, 90)) / 8,
    }
    calls.append(call)
    at = start + 3
    if depth < 3:
        for _ in range(int(rng.integers(0, 3))):
            at = _operator(rng, calls, (at, number, step, thread), depth + 1) + 2
    call["end"] = at + 3
    return at + 3


def _kernel(rng: np.random.Generator, call: Row, device: list[Row], flows: list[Row]) -> None:
    start = 20 + len(device) * 37 + call["step"] * STEP
    stream = int(rng.integers(2, 4))
    core = CORES[int(rng.integers(len(CORES)))]
    name = "hcom_allReduce__1" if core == "HCCL" else f"kernel{rng.integers(3)}"
    call["kernels"].append(len(device))
    device.append(
        {
            "name": name,
            "start": start,
            "end": start + int(rng.integers(1, 60)),
            "stream": stream,
            "core": core,
            "block_dim": int(rng.integers(1, 3)),
            "step": call["step"] + 4,
        }
    )
    for phase, at, tid in (("s", call["start"], call["thread"]), ("f", start, stream)):
        end = {"id": start, "category": "operator", "phase": phase, "time_ns": at, "tid": tid}
        flows.append({**end, "pid": 1})


def _add_up(calls: list[Row], device: list[Row]) -> None:
    for call in calls:
        own = [device[place] for place in call["kernels"]]
        lengths = [(row["end"] - row["start"], row["core"]) for row in own]
        call["device_self_us"] = sum(length for length, _ in lengths) / 1000
        call["ai_core_self_us"] = sum(n for n, core in lengths if core in COUNTED) / 1000
        call["device_total_us"] = call["ai_core_total_us"] = 0.0
    for call in calls:
        above = call
        while above is not None:
            for part in ("device", "ai_core"):
                above[f"{part}_total_us"] += call[f"{part}_self_us"]
            above = calls[above["parent"]] if above["parent"] >= 0 else None


def _model(calls: list[Row], host: list[Row], device: list[Row], flows: list[Row]) -> TraceModel:
    host_order = sorted(host, key=lambda row: (_threads(host, row), row["start"], -row["end"]))
    places = {
        (row["name"], row["start"], row.get("tid", 1)): number
        for number, row in enumerate(host_order)
    }
    measured = [
        {
            **{key: value for key, value in call.items() if key.endswith("_us")},
            "row": places.get((call["name"], call["start"], call["thread"]), -1),
            "name": call["name"],
            "input_shapes": call["shapes"],
            "call_stack": call["stack"],
        }
        for call in calls
    ]
    ordered = sorted(device, key=lambda row: row["start"])
    kernels = [
        {
            "row": number,
            "accelerator_core": row["core"],
            "block_dim": row["block_dim"],
            "step": row["step"],
        }
        for number, row in enumerate(ordered)
    ]
    ranges = [
        {"step": step + 4, "start_ns": step * STEP, "end_ns": (step + 1) * STEP}
        for step in sorted({row["step"] - 4 for row in device})
    ]
    return make_npu(
        host,
        device,
        flows=flows,
        measured=measured,
        kernels=kernels,
        step_ranges=[] if host else ranges,
    )


def _threads(host: list[Row], row: Row) -> int:
    return list(dict.fromkeys(one.get("tid", 1) for one in host)).index(row.get("tid", 1))
