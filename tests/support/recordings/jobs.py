"""The log directory of a job with many ranks: small and quick to write, or tiled from a sample."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(ROOT / "benchmarks"))

from traces import build_ranks

__all__ = ["build_ranks", "die", "hang", "small_job"]


def small_job(folder: Path, ranks: int) -> Path:
    """Write ranks of two steps each; every one differs in its times."""
    for rank in range(ranks):
        step = {"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 1, "dur": 100 + rank}
        launch = {**op("cudaLaunchKernel", 12, 2), "cat": "cuda_runtime"}
        events = [
            {**step, "name": "ProfilerStep#3", "ts": 0},
            {**step, "name": "ProfilerStep#4", "ts": 200},
            op("aten::mm", 10, 20 + rank),
            op(f"aten::own{rank}", 210, 30),
            {**launch, "args": {"correlation": 1}},
            kernel("gemm", 20, 60 + rank),
        ]
        job = {"rank": rank, "world_size": ranks, "backend": "nccl"}
        write(folder / f"rank{rank}.pt.trace.json", events, distributedInfo=job)
    return folder


def die(_task: Any) -> None:
    """End the process that runs this, as when it needs too much memory."""
    os._exit(9)


def hang(task: Any) -> Any:
    """Take a while, then do what was to be done."""
    from nbprof.ranks.extract import extract_rank

    time.sleep(0.2)
    return extract_rank(task)
