"""The log directory of a job whose ranks communicate and wait for the slowest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path

STEPS = 3
#: Microseconds of a step, and where in it the ranks add up their gradients.
STEP, SUM = 1000, 600


def talking_job(folder: Path, ranks: int, *, run: str = "job") -> Path:
    """Write ranks of three steps each; rank n comes n % 8 · 20 µs late to every sum."""
    for rank in range(ranks):
        late = rank % 8 * 20
        events: list[dict[str, Any]] = []
        for step in range(STEPS):
            begin = step * (STEP + 50)
            mark = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1}
            events += [
                {**mark, "name": f"ProfilerStep#{step + 5}", "ts": begin, "dur": STEP},
                op("aten::conv2d", begin + 10, 300 + late),
                op("aten::addmm", begin + 400 + late, 150),
                {
                    **mark,
                    "name": "gloo:all_reduce",
                    "tid": 2,
                    "ts": begin + SUM + late - 100,
                    "dur": 340 - late,
                    "args": {"Input Dims": [[1000, 512]], "Input type": ["float"]},
                },
            ]
        job = {"rank": rank, "world_size": ranks, "backend": "gloo"}
        write(folder / run / f"rank{rank}.pt.trace.json", events, distributedInfo=job)
    return folder
