"""Writes `communication.json`: what each collective took, and over which link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .records import Collective, Recording

GROUP = "17522688603477080586"
LINKS = ("RDMA", "HCCS", "PCIE", "SDMA", "SIO")
#: Sizes are in millions of bytes, as the profiler writes them.
MILLION = 1e6


def write(path: Path, recording: Recording) -> None:
    """Write the collectives by step."""
    steps = {}
    for step in recording.steps:
        own = [one for one in recording.collectives if one.step == step.number]
        operators = {f"{one.name}@{GROUP}": _operator([one]) for one in own}
        steps[f"step{step.number}"] = {
            "p2p": {},
            "collective": {**operators, "Total Op Info": _operator(own)},
        }
    path.write_text(json.dumps(steps, indent=1), encoding="utf-8")


def _operator(calls: list[Collective]) -> dict[str, object]:
    elapsed = sum(one.end - one.start for one in calls) / 1e6
    moving = sum(one.transfer for one in calls) / 1e6
    waiting = elapsed - moving
    size = sum(one.size for one in calls) / MILLION
    times: dict[str, float] = {
        "Elapse Time(ms)": elapsed,
        "Transit Time(ms)": moving,
        "Wait Time(ms)": waiting,
        "Synchronization Time(ms)": waiting,
        "Idle Time(ms)": 0.0,
        "Wait Time Ratio": round(waiting / elapsed, 4),
        "Synchronization Time Ratio": round(waiting / elapsed, 4),
    }
    if len(calls) == 1:
        times = {"Start Timestamp(us)": calls[0].start / 1000, **times}
    links = {
        link: _link(size, moving, len(calls)) if link in ("HCCS", "SDMA") else _link(0.0, 0.0, 0)
        for link in LINKS
    }
    return {"Communication Time Info": times, "Communication Bandwidth Info": links}


def _link(size: float, milliseconds: float, packets: int) -> dict[str, object]:
    spread = {f"{size / packets:.6f}": [packets, milliseconds]} if packets else {}
    return {
        "Transit Size(MB)": size,
        "Transit Time(ms)": milliseconds,
        "Bandwidth(GB/s)": round(size / milliseconds, 4) if milliseconds else 0,
        "Large Packet Ratio": 0.0,
        "Size Distribution": spread,
    }
