from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

STEPS = 3
KERNELS = ("void gemm<float>(float*)", "=HYPERLINK(1)", "ncclKernel_AllReduce")


def trace_json(rank: int = 0) -> dict[str, Any]:
    """Give a trace of three steps; in each an operator launches three kernels of 10, 20, 30 µs."""
    events: list[dict[str, Any]] = []
    for step in range(STEPS):
        start = 1000 + 1000 * step
        events.append(_slice("user_annotation", f"ProfilerStep#{step}", start, 900))
        events.append(_slice("cpu_op", "aten::mm", start + 100, 300, {"External id": step + 1}))
        for i, kernel in enumerate(KERNELS):
            ids = {"correlation": 10 * step + i + 1, "External id": step + 1}
            at = start + 110 + 50 * i
            events.append(_slice("cuda_runtime", "cudaLaunchKernel", at, 10, ids))
            on = {"device": 0, "stream": 7 + i, "context": 1, **ids}
            work = _slice("kernel", kernel, at + 40, 10 * (i + 1), on)
            events.append({**work, "pid": 0, "tid": 7 + i})
    return {
        "schemaVersion": 1,
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
        "deviceProperties": [{"id": 0, "name": "A Device", "totalGlobalMem": 2**34, "numSms": 80}],
        "traceEvents": events,
    }


def _slice(
    category: str, name: str, start: int, length: int, args: dict[str, Any] | None = None
) -> dict[str, Any]:
    event = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1}
    return {**event, "ts": start, "dur": length, "args": args or {}}


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Two runs: `eval` with one worker, `train` with two; and a file that is no trace."""
    for run, worker, rank in (("eval", "w0", 0), ("train", "w0", 0), ("train", "w1", 1)):
        folder = tmp_path / "logs" / run
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{worker}.1700000000000.pt.trace.json"
        path.write_text(json.dumps(trace_json(rank)))
    (tmp_path / "logs" / "eval" / "notes.json").write_text('{"lr": 0.1}')
    return tmp_path / "logs"


@pytest.fixture
def nbprof(capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Run the command line in this process."""
    from tests.cli.running import Result

    def call(*words: object) -> Result:
        from nbprof.cli import main

        status = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return Result(status, out, err.decode())

    return call
