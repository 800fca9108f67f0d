"""Kernels of NPUs by name, launch and core; kernels of GPUs one by one, too."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.accelerator_cores import accelerator_cores
from nbprof.analysis.kernels.kernel_columns import GROUPS, LAUNCHES, NPU_GROUPS, NPU_LAUNCHES
from nbprof.analysis.kernels.kernels import kernels as kernels_table
from nbprof.analysis.steps.step_parts_devices import device_summary_figures
from nbprof.analysis.steps.step_parts_tables import kernel_parts
from nbprof.model.filters.filter import Filter
from tests.analysis.generated_npu import recording
from tests.analysis.steps.test_parts import regrouped, same
from tests.support.models import make_model
from tests.support.npu import make_npu

Row = dict[str, Any]

DEVICE = [
    {"name": "Cast", "start": 0, "end": 10, "stream": 2},
    {"name": "Cast", "start": 20, "end": 25, "stream": 2},
    {"name": "MatMul", "start": 30, "end": 60, "stream": 2},
    {"name": "hcom_allReduce__5_0", "start": 40, "end": 140, "stream": -2},
    {"name": "MEMCPY_ASYNC", "kind": "memcpy", "start": 200, "end": 300, "stream": 2},
    {"name": "Notify Wait", "kind": "task", "start": 40, "end": 50, "stream": 3},
]
KERNELS = [
    {"row": 0, "accelerator_core": "AI_CPU", "block_dim": 1, "type": "Cast", "aic_ratio": 0.5},
    {"row": 1, "accelerator_core": "AI_VECTOR_CORE", "block_dim": 8, "step": 3, "wait_us": 0.25},
    {"row": 2, "accelerator_core": "AI_CORE", "block_dim": 16, "input_shapes": '"2,3"'},
    {"row": 4 - 1, "accelerator_core": "HCCL", "block_dim": 0},
]


def small(**more: Any) -> Any:
    return make_npu(device=DEVICE, kernels=KERNELS, metrics=["aic_ratio"], **more)


def test_by_name_with_cores_and_blocks() -> None:
    rows = {row["name"]: row for row in kernels_table(small()).to_pylist()}
    assert set(rows) == {"Cast", "MatMul", "hcom_allReduce__5_0"}
    cast = rows["Cast"]
    assert cast["accelerator_core"] == "AI_CPU, AI_VECTOR_CORE"  # the one with most time first
    assert cast["block_dim"] is None  # launches differ
    assert (cast["calls"], cast["total_us"]) == (2, 0.015)
    assert rows["MatMul"]["block_dim"] == 16
    assert rows["hcom_allReduce__5_0"]["block_dim"] == 0
    assert "tensor_core_used" not in cast


def test_a_filter_leaves_what_names_are_known_for() -> None:
    [cast] = kernels_table(small(), Filter(name="cast", time_us=(0, 0.01))).to_pylist()
    assert (cast["calls"], cast["accelerator_core"]) == (1, "AI_CPU, AI_VECTOR_CORE")


def test_by_properties_cores_and_blocks_make_rows() -> None:
    table = kernels_table(small(), group_by="properties")
    assert table.column_names[:5] == list(NPU_GROUPS["properties"])
    pairs = {(r["name"], r["accelerator_core"], r["block_dim"]) for r in table.to_pylist()}
    assert pairs == {
        ("Cast", "AI_CPU", 1),
        ("Cast", "AI_VECTOR_CORE", 8),
        ("MatMul", "AI_CORE", 16),
        ("hcom_allReduce__5_0", "HCCL", 0),
    }


def test_one_by_one_with_every_metric() -> None:
    table = kernels_table(small(), group_by="launch")
    expected = [column.name for column in NPU_LAUNCHES]
    assert table.column_names == [*expected, "aic_ratio"]
    first, second, third, last = table.to_pylist()
    assert (first["name"], first["aic_ratio"], first["type"]) == ("Cast", 0.5, "Cast")
    assert (first["step"], second["step"]) == (None, 3)
    assert (second["wait_us"], second["aic_ratio"]) == (0.25, None)
    assert (third["input_shapes"], third["start_us"], third["duration_us"]) == ('"2,3"', 0.03, 0.03)
    assert (last["stream"], last["block_dim"]) == (None, 0)
    assert sum(row["pct"] for row in table.to_pylist()) == pytest.approx(100)


def test_a_metric_that_is_called_as_a_column_of_ours_keeps_apart() -> None:
    kernels = [{**KERNELS[0], "pct": 7.0}]
    model = make_npu(device=DEVICE[:1], kernels=kernels, metrics=["pct"])
    [row] = kernels_table(model, group_by="launch").to_pylist()
    assert (row["pct"], row["pct (recorded)"]) == (100.0, 7.0)


def test_kernels_that_the_recorder_says_nothing_of() -> None:
    model = make_npu(device=DEVICE)
    [row, *_] = kernels_table(model, group_by="launch").to_pylist()
    assert row["accelerator_core"] is None
    assert row["wait_us"] is None
    for group_by in GROUPS:
        assert kernels_table(model, group_by=group_by).num_rows
    assert kernels_table(make_npu(), group_by="launch").num_rows == 0


def test_time_by_core() -> None:
    rows = accelerator_cores(small()).to_pylist()
    found = [(r["accelerator_core"], r["calls"], r["total_us"]) for r in rows]
    assert found == [
        ("HCCL", 1, 0.1),
        ("AI_CORE", 1, 0.03),
        ("AI_CPU", 1, 0.01),
        ("AI_VECTOR_CORE", 1, 0.005),
    ]
    assert sum(row["pct"] for row in rows) == pytest.approx(100)
    [row] = accelerator_cores(small(), Filter(name="matmul")).to_pylist()
    assert row["pct"] == 100
    [row] = accelerator_cores(make_npu(device=DEVICE[:3])).to_pylist()
    assert (row["accelerator_core"], row["calls"]) == (None, 3)
    assert accelerator_cores(make_model(device=DEVICE)).num_rows == 0


def test_share_of_ai_cores_is_of_what_computes() -> None:
    [row] = device_summary(small()).to_pylist()
    assert row["ai_core_pct"] == pytest.approx(100 * 35 / 45)
    assert row["tensor_core_pct"] is None
    assert (row["device_type"], row["device"]) == ("npu", 0)
    assert device_summary(small(), Filter(name="cast")).to_pylist() == [row]
    [row] = device_summary(make_npu(device=DEVICE)).to_pylist()
    assert row["ai_core_pct"] is None
    assert "ai_core_pct" not in device_summary(make_model(device=DEVICE)).column_names


@pytest.mark.parametrize(
    "how",
    [
        {"kernels": KERNELS},
        {"kernels": [{**row, "accelerator_core": None} for row in KERNELS]},
        {"lanes": [{"side": "device", "place": 0, "stream": -2, "group": "HCCL", "name": "G"}]},
    ],
)
def test_communication_is_known_by_core_lane_or_name(how: Row) -> None:
    device = [*DEVICE[:3], DEVICE[3] if "lanes" not in how else {**DEVICE[3], "name": "AllReduce"}]
    [row] = device_time(make_npu(device=device, **how)).to_pylist()
    assert row["communication_us"] == 0.1
    assert row["computation_us"] == 0.045
    assert row["exposed_communication_us"] == 0.08
    assert row["idle_us"] == pytest.approx(0.015)


def test_steps_of_kernels_add_up_everywhere() -> None:
    model, _ = recording(2)
    for group_by in GROUPS:
        whole = kernels_table(model, group_by=group_by)
        parts = kernel_parts(model, whole, group_by)
        for first, last in ((4, 6), (5, 5)):
            chosen = kernels_table(model, Filter(steps=(first, last)), group_by=group_by)
            same(regrouped(whole, parts, first, last), chosen.to_pylist())


def test_shares_of_ai_cores_add_up_by_step() -> None:
    model, _ = recording(2)
    parts = device_summary_figures(model).to_pylist()
    for step in (4, 5, 6):
        [part] = [part for part in parts if part["step"] == step]
        [row] = device_summary(model, Filter(steps=(step, step))).to_pylist()
        share = 100 * part["ai_core"] / part["computing_time"]
        assert row["ai_core_pct"] == pytest.approx(share)


def test_kernels_of_gpus_one_by_one() -> None:
    host = [
        {"name": "ProfilerStep#4", "kind": "step", "start": 0, "end": 50},
        {"name": "aten::mm", "start": 1, "end": 20},
        {"name": "launch", "kind": "runtime", "start": 2, "end": 3, "correlation": 5},
    ]
    device = [
        {
            "name": "hmma_gemm",
            "start": 60,
            "end": 90,
            "correlation": 5,
            "grid": "[4, 1, 1]",
            "block": "[32, 1, 1]",
            "registers": 40,
            "blocks_per_sm": 0.5,
        },
        {"name": "other", "start": 200, "end": 210},
        {"name": "Memcpy", "kind": "memcpy", "start": 300, "end": 400},
    ]
    table = kernels_table(make_model(host, device), group_by="launch")
    assert table.column_names == [column.name for column in LAUNCHES]
    first, second = table.to_pylist()
    assert first == {
        "step": 4,
        "name": "hmma_gemm",
        "operator": "aten::mm",
        "launched_by": None,
        "device": 0,
        "stream": 7,
        "start_us": 0.06,
        "duration_us": 0.03,
        "direction": "forward",
        "module": None,
        "queue_us": 0.057,
        "launch_us": 0.001,
        "thread": 1,
        "status": "launched",
        "annotation": None,
        "sequence": None,
        "forward_operator": None,
        "flops": None,
        "bytes": None,
        "intensity": None,
        "pct_of_peak": None,
        "bound": "unknown",
        "input_shapes": None,
        "input_types": None,
        "pct": 75.0,
        "grid": "[4, 1, 1]",
        "block": "[32, 1, 1]",
        "registers": 40,
        "shared_memory_bytes": None,
        "blocks_per_sm": 0.5,
        "occupancy_pct": None,
        "matrix_unit_used": True,
        "matrix_unit_dtype": None,
        "tensor_core_used": True,
        "recorded_name": None,
    }
    assert (second["step"], second["matrix_unit_used"]) == (None, None)
    assert [
        r["name"]
        for r in kernels_table(
            make_model(host, device), Filter(steps=(4, 4)), group_by="launch"
        ).to_pylist()
    ] == ["hmma_gemm"]
