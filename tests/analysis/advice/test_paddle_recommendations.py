"""Recommendations for Paddle traces use Paddle's terms, and point to evidence that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nbprof.model.filters.filter import Filter
from nbprof.sources import discover, read
from tests.analysis.advice.test_recommendations import V100, check_evidence, said
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def row(name: str, event_type: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "event_type": event_type, "start": start, "end": end, **more}


def training(loader: str = "_DataLoaderIterSingleProcess") -> TraceModel:
    """A step that loads data, multiplies matrices in single precision, and copies."""
    call = {"kind": "runtime", "correlation": 1}
    host = [
        row("ProfileStep#1", "ProfileStep", 0, 100, kind="step"),
        row(loader, "Dataloader", 1, 30, kind="annotation"),
        row("matmul dygraph", "Operator", 31, 40),
        row("cudaLaunchKernel", "CudaRuntime", 32, 34, **call),
        row("cudaMemcpyAsync", "CudaRuntime", 36, 38, **call | {"correlation": 2}),
    ]
    device = [
        {"name": "volta_sgemm_128x64_nn", "start": 40, "end": 60, "correlation": 1},
        {"name": "Memcpy HtoD", "kind": "memcpy", "start": 60, "end": 80, "correlation": 2},
    ]
    metadata = {"format": "Paddle", "device_type": "gpu"}
    return make_model(host, device, devices=[V100], metadata=metadata)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("low_utilization", "paddle.jit.to_static"),
        ("mixed_precision", "paddle.amp.auto_cast"),
        ("exposed_copies", "use_buffer_reader"),
        ("data_loading", "num_workers"),
    ],
)
def test_advice_is_of_paddle(rule: str, words: str) -> None:
    found = said(training())
    assert words in found[rule]["advice"]
    assert not any("torch" in row["advice"] for row in found.values())


def test_loading_in_processes_is_known_by_its_name() -> None:
    advice = said(training("_DataLoaderIterMultiProcess"))["data_loading"]["advice"]
    assert advice.startswith("Worker processes are in use already")


@pytest.mark.parametrize("filter_", [Filter(), Filter(steps=(4, 4)), Filter(time_us=(3000, 9000))])
@pytest.mark.parametrize("run", ["synthetic_gpu", "run_cpu_v262"])
def test_evidence(run: str, filter_: Filter, shared_data: Path) -> None:
    for file in discover(shared_data / "paddle" / run).files[:2]:
        found = check_evidence(read(file, progress=False), filter_)
        assert found or run != "synthetic_gpu"
