"""Defects of the TensorBoard plugin that nbprof lacks: one test each, numbered as in kineto.md."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.analysis.advice.warnings import warnings as warnings_table
from nbprof.analysis.devices.device_summary import DEVICE_SUMMARY, device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.kernels import kernels as kernels_table
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.user_events import user_events
from nbprof.analysis.steps.overview import overview
from nbprof.analysis.steps.steps import steps
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from tests.support.models import make_model

US = 1000


def op(name: str, start: float, end: float, **more: Any) -> dict[str, Any]:
    """Return a host row, times in microseconds."""
    return {"name": name, "start": int(start * US), "end": int(end * US), **more}


def call(start: float, end: float, correlation: int = -1, **more: Any) -> dict[str, Any]:
    row = {"kind": "runtime", "correlation": correlation, **more}
    return op(row.pop("name", "cudaLaunchKernel"), start, end, **row)


def step(number: int, start: float, end: float) -> dict[str, Any]:
    return op(f"ProfilerStep#{number}", start, end, kind="step")


def kernel(start: float, end: float, correlation: int = -1, **more: Any) -> dict[str, Any]:
    return {**op("sgemm", start, end, correlation=correlation), **more}


def rows_by_name(table: Any, key: str = "name") -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in table.to_pylist()}


def test_1_a_step_full_of_kernels_is_counted_once() -> None:
    """The plugin gave 100 + 10 + 40 + 50 for a step of 100 µs."""
    host = [step(1, 0, 100), op("aten::mm", 0, 50), call(10, 50, 1)]
    device = [kernel(0, 100, 1), {**kernel(20, 30), "kind": "memcpy"}]
    (row,) = steps(make_model(host, device)).to_pylist()
    assert (row["total_us"], row["kernel_us"]) == (100.0, 100.0)
    rest = ("memcpy_us", "memset_us", "communication_us", "runtime_us", "cpu_exec_us", "other_us")
    assert all(row[name] == 0.0 for name in rest)


def test_2_the_device_copy_of_a_step_is_no_step_and_no_host_work() -> None:
    host = [step(15, 0, 100), op("aten::mm", 10, 20), call(12, 14, 1)]
    copy = {**kernel(30, 90), "name": "ProfilerStep#15", "kind": "annotation"}
    model = make_model(host, [kernel(30, 40, 1), copy, kernel(50, 60)])
    (row,) = steps(model).to_pylist()
    assert (row["step"], row["cpu_exec_us"], row["other_us"]) == (15, 8.0, 70.0)
    kernels = kernels_table(model, group_by="properties")
    assert sum(kernels["calls"].to_pylist()) == 2  # the one without a launch is there once


def test_3_without_usable_ids_time_says_which_operator_launched() -> None:
    host = [op("aten::mm", 0, 50, external_id=900), call(10, 12, 5, external_id=5)]
    rows = rows_by_name(operators(make_model(host, [kernel(60, 90, 5)])))
    assert rows["aten::mm"]["device_self_us"] == 30.0


def test_4_calls_without_an_id_are_not_taken_from_whoever_comes_first() -> None:
    """A module had -15.7 ms of own time, from a synchronization outside of it."""
    host = [
        op("nn.Module: Net_0", 0, 100, kind="module"),
        op("aten::add", 10, 20),
        call(200, 900, name="cudaDeviceSynchronize"),
    ]
    rows = rows_by_name(operators(make_model(host)))
    assert rows["aten::add"]["host_self_us"] == 10.0


@pytest.mark.parametrize("name", ["cuLaunchKernel", "hipLaunchKernel", "xpuLaunch"])
def test_5_launches_of_every_runtime_count(name: str) -> None:
    host = [step(1, 0, 100), op("triton_poi_0", 10, 50), call(20, 30, 1, name=name)]
    model = make_model(host, [kernel(80, 250, 1)])
    assert rows_by_name(operators(model))["triton_poi_0"]["device_self_us"] == 170.0
    assert rows_by_name(operators(model))["triton_poi_0"]["host_self_us"] == 30.0
    assert steps(model)["end_us"].to_pylist() == [250.0]


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("nccl:_all_gather_base", "Memcpy DtoD"),
        ("nccl:all_to_all", "k"),
        ("c10d::reduce_scatter_", "k"),
        ("record_param_comms", "k"),
        ("aten::add", "ncclDevKernel_ReduceScatter"),
        ("aten::add", "void vllm::cross_device_reduce_1stage<half>"),
        ("aten::add", "rcclGenericKernel"),
    ],
)
def test_6_communication_by_any_of_its_names(operator: str, name: str) -> None:
    host = [step(1, 0, 100), op(operator, 10, 50), call(20, 30, 1)]
    model = make_model(host, [kernel(40, 70, 1, name=name)])
    (row,) = steps(model).to_pylist()
    assert (row["kernel_us"], row["communication_us"]) == (0.0, 30.0)
    (device,) = device_time(model).to_pylist()
    assert (device["computation_us"], device["communication_us"]) == (0.0, 30.0)


def test_6_host_ranges_of_device_collectives_only_enqueue() -> None:
    host = [step(1, 0, 100), op("nccl:all_reduce", 10, 50), op("gloo:all_gather_base", 60, 80)]
    (row,) = steps(make_model(host)).to_pylist()
    assert (row["communication_us"], row["cpu_exec_us"]) == (20.0, 40.0)


@pytest.mark.parametrize(
    "name",
    [
        "nvjet_hsh_128x256_64x4_1x2_h_bz_TNT",
        "sm90_xmma_gemm_bf16bf16_bf16f32",
        "void cutlass::device_kernel<flash::enable_sm90<wgmma>>",
        "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm>",
        "volta_h884gemm_128x64",
    ],
)
def test_7_tensor_cores_of_later_libraries_are_known(name: str) -> None:
    model = make_model([op("aten::mm", 0, 50), call(1, 2, 1)], [kernel(10, 20, 1, name=name)])
    assert kernels_table(model)["tensor_core_used"].to_pylist() == [True]
    assert operators(model)["tensor_core_self_pct"].to_pylist() == [100.0]


@pytest.mark.parametrize(
    "name", ["aten::convolution_backward", "aten::_scaled_dot_product_flash_attention"]
)
def test_7_operators_that_could_use_them(name: str) -> None:
    model = make_model([op(name, 0, 50), call(1, 2, 1)], [kernel(10, 20, 1)])
    assert operators(model)["tensor_core_eligible"].to_pylist() == [True]


def test_8_no_operator_is_lost_whatever_the_modules() -> None:
    """The plugin kept 4,852 of 8,001 calls where backward nodes had no link to a module."""
    backward = [
        row
        for i in range(5)
        for row in (
            op("autograd::engine::evaluate_function: MmBackward0", 100 * i, 100 * i + 50, tid=2),
            op("aten::mm", 100 * i + 10, 100 * i + 20, tid=2),
        )
    ]
    host = [op("nn.Module: Net_0", 0, 60, kind="module"), op("aten::mm", 5, 30), *backward]
    flows = [
        {"id": 1, "category": "fwdbwd", "phase": phase, "time_ns": at * US, "pid": 1, "tid": tid}
        for phase, at, tid in (("s", 5, 1), ("f", 0, 2))
    ]
    rows = rows_by_name(operators(make_model(host, flows=flows)))
    assert rows["aten::mm"]["calls"] == 6
    assert rows["autograd::engine::evaluate_function: MmBackward0"]["calls"] == 5


def test_9_overlapping_slices_stay_and_own_time_is_never_negative() -> None:
    host = [
        op("aten::outer", 0, 20),
        op("aten::narrow", 5, 15),
        op("aten::slice", 14, 16),  # starts in its neighbour and ends after it
        call(4, 12),
        call(8, 18),  # the driver call that it makes
    ]
    model = make_model(host)
    rows = rows_by_name(operators(model))
    assert rows["aten::slice"]["calls"] == 1
    assert rows["aten::outer"]["host_self_us"] == 20.0 - 14.0
    warnings = rows_by_name(warnings_table(model), "kind")
    assert warnings["overlapping slices"]["count"] >= 1


def test_12_the_utilization_says_which_window_it_is_of() -> None:
    """Gaps between steps count for it, and for no step; the contract wants both."""
    host = [step(1, 0, 100), step(2, 300, 400), call(10, 11, 1), call(310, 311, 2)]
    model = make_model(host, [kernel(10, 60, 1), kernel(310, 360, 2)])
    (device,) = device_summary(model).to_pylist()
    assert device["utilization_pct"] == 25.0
    assert rows_by_name(overview(model), "category")["Kernel"]["pct"] == 50.0
    meaning = next(c.meaning for c in DEVICE_SUMMARY if c.name == "utilization_pct")
    assert "first to last step" in meaning


def test_14_names_are_searched_for_ignoring_case_everywhere() -> None:
    host = [op("aten::Addmm", 0, 50), call(1, 2, 1)]
    model = make_model(host, [kernel(10, 20, 1, name="Volta_SGEMM")])
    assert kernels_table(model, Filter(name="sgemm")).num_rows == 1
    assert operators(model, Filter(name="ADDMM")).num_rows == 1


def test_15_one_share_of_tensor_cores() -> None:
    """Of all kernels, also those that no operator launched."""
    host = [op("aten::mm", 0, 50), call(1, 2, 1)]
    device = [kernel(10, 20, 1, name="h884"), kernel(20, 50)]
    model = make_model(host, device)
    (summary,) = device_summary(model).to_pylist()
    kernels = kernels_table(model).to_pylist()
    shown = sum(row["pct"] for row in kernels if row["tensor_core_used"])
    assert summary["tensor_core_pct"] == shown == 25.0


def test_steps_without_length_break_nothing() -> None:
    """The plugin lost the whole file over them."""
    model = make_model([step(1, 10, 10), step(2, 10, 10)])
    assert steps(model)["total_us"].to_pylist() == [0.0, 0.0]
    assert overview(model)["pct"].to_pylist() == [None] * 9
    assert recommendations(model).num_rows == 0


def test_steps_cut_by_the_range_are_not_averaged() -> None:
    host = [step(number, 100 * number, 100 * number + 100) for number in (1, 2, 3)]
    model = make_model([*host, call(110, 111, 1)], [kernel(120, 140, 1), kernel(210, 260)])
    narrow = Filter(time_us=(150, 400))
    assert steps(model, narrow)["complete"].to_pylist() == [False, False, False]
    narrow = Filter(steps=(1, 2), time_us=(50, 180))
    (average, kernels, *_) = overview(model, narrow).to_pylist()
    assert (average["avg_us"], kernels["avg_us"]) == (80.0, 20.0)


def test_nested_annotations_have_what_is_launched_inside_them() -> None:
    host = [
        op("step", 0, 100, kind="annotation"),
        op("forward", 10, 50, kind="annotation"),
        op("aten::mm", 20, 30),
        call(21, 22, 1),
        op("backward", 60, 90, kind="annotation"),
    ]
    rows = rows_by_name(user_events(make_model(host, [kernel(40, 70, 1)])))
    assert {name: row["device_total_us"] for name, row in rows.items()} == {
        "step": 30.0,
        "forward": 30.0,
        "backward": 0.0,
    }


def test_an_empty_trace_gives_empty_tables() -> None:
    model = make_model()
    for name in ("operators", "kernels", "user_events", "device_summary", "device_time"):
        assert TABLES[name].make(model).num_rows == 0
    assert steps(model)["total_us"].to_pylist() == [0.0]


def test_open_ends_of_a_range_are_those_of_the_recording_and_an_empty_one_holds_no_step() -> None:
    host = [{"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 1000}]
    model = make_model(host, [{"name": "k", "start": 200, "end": 600}])
    [row] = device_time(model, Filter(time_us=(0.1, float("inf")))).to_pylist()
    assert (row["total_us"], row["computation_us"], row["idle_us"]) == pytest.approx(
        (0.9, 0.4, 0.5)
    )
    assert steps(model, Filter(time_us=(0.5, 0.5))).num_rows == 0
