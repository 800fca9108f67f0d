"""The runs recorded on an H200: what they show, and that their script records such runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = ROOT / "samples"
RESNET = SAMPLES / "gpu_resnet"


@pytest.fixture(scope="module")
def gpt() -> nbprof.Trace:
    return nbprof.load(SAMPLES / "gpu_gpt", progress=False).trace()


def test_the_gpt_has_something_in_every_view(gpt: nbprof.Trace) -> None:
    assert [row["step"] for row in gpt.steps().to_pylist()] == [3, 4, 5]
    (device,) = gpt.device_summary().to_pylist()
    assert "H200" in device["name"]
    for table in ("operators", "kernels", "memory_curve", "modules", "idle_time", "operator_costs"):
        assert gpt.table(table).num_rows > 10 or table == "idle_time", table
    assert any(gpt.operators(group_by="name+stack")["call_stack"].to_pylist())
    assert "get_batch" in gpt.user_events()["name"].to_pylist()


def test_the_story_of_both_trainings() -> None:
    """Data loading in the main process, and fp32; then eight loading processes, and fp16."""
    diff = nbprof.diff(RESNET / "before", RESNET / "after")
    mean = [
        sum(row["total_us"] for row in trace.steps().to_pylist()) / 4000
        for (trace,) in (diff.baseline_traces, diff.candidate_traces)
    ]
    assert mean == [pytest.approx(132.4, abs=0.1), pytest.approx(36.0, abs=0.1)]
    _, largest, second, *_ = diff.waterfall().to_pylist()
    assert (largest["category"], largest["change"]) == ("DataLoader", "removed")
    assert (second["category"], second["name"]) == ("Kernel", "aten::convolution_backward")
    before = nbprof.load(RESNET / "before", progress=False).trace()
    assert before.recommendations()["rule"][0].as_py() == "data_loading"


def test_the_script_records_such_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs PyTorch to record a profile")
    monkeypatch.syspath_prepend(str(SAMPLES))
    import record_gpu

    small = {"vocabulary": 64, "width": 48, "layers": 2, "tokens": 16, "batch": 2}
    try:
        record_gpu.gpt(tmp_path, device="cpu", **small)
    finally:
        sys.modules.pop("record_gpu")
    trace = nbprof.load(tmp_path, progress=False).trace()
    assert (trace.run, trace.steps().num_rows) == ("gpu_gpt", 3)
    assert {"GPT_0", "Block_1"} <= set(trace.modules()["name"].to_pylist())
