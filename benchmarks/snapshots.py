"""Measure the view of a memory snapshot of a million events: its first picture and its windows.

It simulates a run, and times what Python does for each request of the view.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import numpy as np

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.allocator.state import AllocatorState
from nbprof.sources.defects import DefectLog
from nbprof.sources.memory_snapshots.tables import snapshot_model
from nbprof.timeline.allocations.block_level import AXES, block_level, extent
from nbprof.timeline.allocations.segment_rows import segment_rows

SIZES = [512, 4096, 65_536, 1 << 20, 1 << 22, 1 << 24, 1 << 26]
WEIGHTS = [30, 30, 20, 12, 5, 2, 1]
SLOT = 1 << 26
START_US = 1_700_000_000_000_000
WINDOWS = 200


def million(events: int, seed: int = 1) -> dict[str, Any]:
    """Give the content of a snapshot with blocks of all sizes and 800 stacks."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    stacks = [
        [
            {"filename": "torch/nn/modules/linear.py", "line": 134, "name": "forward"},
            {"filename": f"/data/ann/net{number % 40}.py", "line": number, "name": "forward"},
            {"filename": "/data/ann/train.py", "line": 3, "name": "main"},
        ]
        for number in range(800)
    ]
    free = [0x7F0000000000 + number * SLOT for number in range(4000)]
    live: list[tuple[int, int, Any]] = []
    trace: list[dict[str, Any]] = []
    now = START_US
    while len(trace) < events:
        now += draw.randint(1, 20)
        goes = live and (len(live) >= 3900 or draw.random() < 0.5)
        if goes:
            place = draw.randrange(len(live))
            live[place], live[-1] = live[-1], live[place]
            address, size, frames = live.pop()
            free.append(address)
            actions = ("free_requested", "free_completed")
        else:
            size = draw.choices(SIZES, WEIGHTS)[0]
            address, frames = free.pop(), draw.choice(stacks)
            live.append((address, size, frames))
            actions = ("alloc",)
        trace += [
            {
                "action": action,
                "addr": address,
                "size": size,
                "stream": 0,
                "time_us": now,
                "frames": frames,
            }
            for action in actions
        ]
    segments = [
        {
            "device": 0,
            "address": address,
            "total_size": SLOT,
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "frames": [],
            "blocks": [
                {
                    "address": address,
                    "size": size,
                    "requested_size": size,
                    "state": "active_allocated",
                    "frames": frames,
                }
            ],
        }
        for address, size, frames in live
    ]
    return {"segments": segments, "device_traces": [trace]}


def measured(events: int) -> dict[str, float]:
    """Return milliseconds by what was measured."""
    found: dict[str, float] = {}

    def timed(what: str, run: Any) -> Any:
        start = time.perf_counter()
        result = run()
        found[what] = (time.perf_counter() - start) * 1e3
        return result

    content = million(events)
    model = timed(
        "tables from the unpickled snapshot",
        lambda: snapshot_model(content, DefectLog("snapshot"), "snapshot"),
    )
    history = allocator_histories(model)[0]

    def first() -> None:
        block_level(history, "time", extent(history, "time"), columns=1400, least=peak())
        segment_rows(AllocatorState.of(history, history.last), 1400)

    def peak() -> float:
        return float(history.in_use.max()) / 300

    timed("first picture", first)
    draw = np.random.default_rng(1)
    for axis in AXES:
        low, high = extent(history, axis)
        times = []
        for _ in range(WINDOWS):
            length = (high - low) * 10 ** draw.uniform(-4, 0)
            start = draw.uniform(low, high - length)
            begun = time.perf_counter()
            block_level(history, axis, (start, start + length), columns=2800, least=peak())
            times.append((time.perf_counter() - begun) * 1e3)
        found[f"window by {axis}, p95"] = float(np.percentile(times, 95))
    times = []
    for moment in draw.integers(0, history.last, WINDOWS).tolist():
        begun = time.perf_counter()
        segment_rows(AllocatorState.of(history, moment), 1400)
        times.append((time.perf_counter() - begun) * 1e3)
    found["segments at a moment, p95"] = float(np.percentile(times, 95))
    return found


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    for what, milliseconds in measured(parser.parse_args().events).items():
        print(f"{what:40} {milliseconds:10.1f} ms")


if __name__ == "__main__":
    main()
