"""Writes files as the processes of a job do, which state their rank."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nbprof.sources import discover
from tests.support.traces import op, write

if TYPE_CHECKING:
    from pathlib import Path


def of_rank(
    path: Path, rank: int, world: int, ts: float = 1000, dur: float = 5, **more: Any
) -> Path:
    """Write a trace that states its rank and the world size."""
    job = {"backend": "nccl", "rank": rank, "world_size": world}
    return write(path, [op(ts=ts, dur=dur)], distributedInfo=job, **more)


def of_memory(path: Path) -> Path:
    """Write a memory timeline of one category."""
    times = [1_795_756_833_919_011, 1_795_756_833_921_410]
    return write(path, json.dumps([times, [[0, 8] + [0] * 7, [0, 16] + [0] * 7]]))


def listed(source: Any) -> list[tuple[str, str, int, int | None, str]]:
    """Return run, worker, span, rank and the name of every file."""
    return [
        (file.run, file.worker, file.span, file.rank, file.path.name)
        for file in discover(source).files
    ]
