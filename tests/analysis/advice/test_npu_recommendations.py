"""Recommendations for NPUs: every rule, its number, and the evidence it points to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.model.filters.filter import Filter
from nbprof.model.units import format_time
from tests.analysis.advice.test_recommendations import check_evidence, said
from tests.oracle.ascend.profiles import WORKERS, model_of
from tests.support.npu import make_npu

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]

STEP = {
    "step": 7,
    "device": 0,
    "computing_us": 80.0,
    "communication_not_overlapped_us": 10.0,
    "free_us": 10.0,
}


def of_steps(*steps: Row) -> TraceModel:
    kernel = {"name": "MatMul", "start": 0, "end": 100_000}
    core = {"row": 0, "accelerator_core": "AI_CORE"}
    return make_npu(device=[kernel], kernels=[core], npu_steps=[{**STEP, **row} for row in steps])


def of_cores(**lengths: int) -> TraceModel:
    device, kernels, at = [], [], 0
    for row, (core, length) in enumerate(lengths.items()):
        device.append({"name": f"k{row}", "start": at, "end": at + length})
        kernels.append({"row": row, "accelerator_core": core})
        at += length
    return make_npu(device=device, kernels=kernels, npu_steps=[STEP])


def test_nothing_to_say_at_the_limits() -> None:
    assert said(of_steps({})) == {}
    assert said(of_cores(AI_CORE=50, MIX_AIV=40, AI_CPU=10, HCCL=900)) == {}


@pytest.mark.parametrize(("free", "severity"), [(11.0, "medium"), (60.0, "high")])
def test_free_time(free: float, severity: str) -> None:
    model = of_steps({"step": 6}, {"free_us": free})
    row = said(model)["npu_free_time"]
    share = 100 * free / (90 + free)
    expected = (
        f"In step 7, the worst of 2, the NPU is idle {share:.1f} % of its time,"
        f" {format_time(90 + free)} from the first to the last device work of the step."
    )
    assert row["message"].startswith(expected)
    assert row["severity"] == severity
    assert check_evidence(model) == 1
    assert said(model, Filter(steps=(6, 6))) == {}


@pytest.mark.parametrize(("alone", "severity"), [(12.0, "medium"), (60.0, "high")])
def test_communication(alone: float, severity: str) -> None:
    model = of_steps({"communication_not_overlapped_us": alone})
    row = said(model)["npu_communication"]
    share = 100 * alone / (90 + alone)
    place = f"{format_time(90 + alone)} from the first to the last device work of the step"
    assert row["message"].startswith(f"In step 7, {share:.1f} % of the NPU's time, {place}, is")
    assert row["severity"] == severity
    assert check_evidence(model) == 1


@pytest.mark.parametrize(
    ("lengths", "severity", "core", "advice"),
    [
        ({"AI_CORE": 80, "AI_CPU": 20}, "medium", "AI_CPU", "int64"),
        ({"MIX_AIC": 60, "DSA_SQE": 30, "AI_CPU": 10}, "high", "DSA_SQE", "dropout"),
        ({"AI_VECTOR_CORE": 80, "HCCL": 500, "OTHER": 20}, "medium", "OTHER", "by launch"),
    ],
)
def test_ai_cores(lengths: dict[str, int], severity: str, core: str, advice: str) -> None:
    model = of_cores(**lengths)
    row = said(model)["ai_core_share"]
    on = next(iter(lengths.values()))
    assert row["message"].startswith(f"{on:.1f} % of the computing time of NPU 0")
    assert f"most of the rest on {core}" in row["message"]
    assert advice in row["advice"]
    assert row["severity"] == severity
    assert check_evidence(model) == 1


@pytest.mark.parametrize(
    "part", ["computing_us", "communication_not_overlapped_us", "free_us", "all"]
)
def test_steps_with_a_part_that_is_not_known_have_no_shares(part: str) -> None:
    parts = ["computing_us", "communication_not_overlapped_us", "free_us"]
    unknown = dict.fromkeys(parts if part == "all" else [part], float("nan"))
    assert said(of_steps({"step": 6, "free_us": 900.0, **unknown}, {})) == {}


def test_a_step_without_a_number() -> None:
    model = of_steps({"step": -1, "free_us": 90.0})
    assert said(model)["npu_free_time"]["message"].startswith("In the recording, the NPU")


def test_devices_are_called_npus() -> None:
    host = [{"name": "ProfilerStep#7", "kind": "step", "start": 0, "end": 1000}]
    device = [{"name": "a", "start": 0, "end": 10}]
    row = said(make_npu(host, device, npu_steps=[STEP]))["low_utilization"]
    assert row["message"].startswith("NPU 0 has low utilization: kernels run 1.0 %")
    assert "CUDA" not in row["advice"]


@pytest.mark.parametrize(("name", "worker"), WORKERS)
def test_evidence_of_real_profiles_stands_where_it_says(
    name: str, worker: str, shared_data: Path
) -> None:
    model = model_of(shared_data, name, worker)
    assert check_evidence(model) >= 2
    rows = recommendations(model).to_pylist()
    assert {"npu_free_time", "npu_communication"} <= {row["rule"] for row in rows}
    assert all(json.loads(row["evidence"])["value"] is not None for row in rows)
    assert not any("GPU" in row["message"] + row["advice"] for row in rows)
