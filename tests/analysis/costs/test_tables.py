"""The tables `operator_costs`, `step_flops` and `device_peaks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.analysis.costs.by_kernel.npu_costs import npu_costs
from nbprof.analysis.costs.device_peaks import device_peak_rates
from nbprof.analysis.costs.operator_costs import operator_costs
from nbprof.analysis.costs.peaks.known import known_peaks, peak_of
from nbprof.analysis.costs.recomputation import recomputed_rows
from nbprof.analysis.costs.step_flops import step_flops
from nbprof.analysis.devices.device_rows import work_rows
from nbprof.model.filters.filter import Filter
from tests.analysis.costs.test_charges import call, kernel, op
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

A100 = {"device": 0, "name": "NVIDIA A100-SXM4-80GB", "compute_major": 8}
N = 1024
PRODUCT = 2 * N**3
MOVED = 3 * 2 * N * N


def product(start: int, **more: Any) -> Any:
    return op("aten::mm", start, start + 50, "bb", [[N, N], [N, N]], **more)


def model(**more: Any) -> TraceModel:
    """Two products of 10 and 30 µs, an addition of 20 µs, a kernel of 40 µs without a formula."""
    host = [
        product(0), call(10, 1),
        product(100), call(110, 2),
        op("aten::add", 200, 250, "bb", [[N, N], [N, N]]), call(210, 3),
        {"name": "lib::other", "start": 300, "end": 350}, call(310, 4),
    ]  # fmt: skip
    device = [
        kernel("sm80_xmma_gemm_bf16bf16", 1_000, 11_000, 1),
        kernel("sm80_xmma_gemm_bf16bf16", 11_000, 41_000, 2),
        kernel("vectorized_elementwise_kernel", 41_000, 61_000, 3),
        kernel("other", 61_000, 101_000, 4),
    ]
    return make_model(host, device, devices=[A100], **more)


def share_of(table: Any) -> float | None:
    """Return the share of device time that a table's metadata states."""
    stored = (table.schema.metadata or {}).get(b"covered_pct")
    return None if stored is None else float(stored)


def by_name(table: Any, key: str = "name") -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in table.to_pylist()}


def test_rates_and_limits_by_hand() -> None:
    table = operator_costs(model())
    rows = by_name(table)
    mm = rows["aten::mm"]
    assert (mm["calls"], mm["flops"], mm["bytes"]) == (2, 2 * PRODUCT, 2 * MOVED)
    assert mm["device_us"] == 40
    assert mm["tflops_per_s"] == pytest.approx(2 * PRODUCT / 40e-6 / 1e12)
    assert mm["tb_per_s"] == pytest.approx(2 * MOVED / 40e-6 / 1e12)
    assert mm["intensity"] == pytest.approx(PRODUCT / MOVED)
    # 312 TFLOP/s: 13.77 µs of 40; 2.039 TB/s: 6.17 µs
    assert mm["pct_of_peak"] == pytest.approx(100 * (2 * PRODUCT / 312e12) / 40e-6)
    assert (mm["bound"], mm["type"], mm["covered_pct"]) == ("compute", "bf16", 100)
    add = rows["aten::add"]
    assert (add["flops"], add["bytes"]) == (0, MOVED)
    assert add["pct_of_peak"] == pytest.approx(100 * (MOVED / 2.039e12) / 20e-6)
    assert (add["bound"], add["type"]) == ("memory", "fp32")
    other = rows["lib::other"]
    assert [other[name] for name in ("flops", "bytes", "tflops_per_s", "pct_of_peak", "type")] == [
        None
    ] * 5
    assert (other["bound"], other["device_us"], other["covered_pct"]) == ("unknown", 40, 0)
    assert share_of(table) == 60


def test_most_device_time_comes_first_and_kernels_are_a_grouping() -> None:
    assert [row["name"] for row in operator_costs(model(), group_by="name").to_pylist()] == [
        "aten::mm", "lib::other", "aten::add",
    ]  # fmt: skip
    kernels = by_name(operator_costs(model(), group_by="kernel"), "kernel")
    assert kernels["sm80_xmma_gemm_bf16bf16"]["flops"] == 2 * PRODUCT
    assert kernels["other"]["flops"] is None


def test_filters_select_calls_and_kernels() -> None:
    one = operator_costs(model(), Filter(time_us=(0, 0.06)))
    assert by_name(one)["aten::mm"]["calls"] == 1
    named = operator_costs(model(), Filter(name="add"))
    assert list(by_name(named)) == ["aten::add"]
    assert share_of(named) == 100
    assert operator_costs(model(), Filter(devices=(3,))).num_rows == 0


def test_without_a_device_there_are_no_times() -> None:
    table = operator_costs(make_model([product(0), product(100)]))
    (row,) = table.to_pylist()
    assert (row["calls"], row["flops"], row["bound"]) == (2, 2 * PRODUCT, "unknown")
    assert row["device_us"] is row["tflops_per_s"] is row["pct_of_peak"] is None
    assert share_of(table) is None


def test_peaks_of_the_user_win(monkeypatch: pytest.MonkeyPatch) -> None:
    with nbprof.options.having(device_peaks={"a100": {"bf16": 100, "memory_tb_per_s": 1}}):
        mm = by_name(operator_costs(model()))["aten::mm"]
        assert mm["pct_of_peak"] == pytest.approx(100 * (2 * PRODUCT / 100e12) / 40e-6)
        (row,) = device_peak_rates(model()).to_pylist()
        assert (row["name"], row["dtype"], row["peak_tflops"]) == ("a100", "bf16", 100)
    with nbprof.options.having(device_peaks={"": {"bf16": 1}}):
        peak = peak_of("Some new device")
        assert peak is not None
        assert peak.tflops == {"bf16": 1}
        known = peak_of("NVIDIA H100 80GB HBM3")
        assert known is not None
        assert known.name == "H100 SXM"


@pytest.mark.parametrize("wrong", [{"x": 3}, {"x": {"bf16": "fast"}}, {"x": {"bf16": 0}}, [1]])
def test_invalid_peaks_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="device_peaks takes a dict of dicts"):
        nbprof.options.device_peaks = wrong


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "H100 SXM"), ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL"), ("NVIDIA H800", "H800"), ("NVIDIA H200", "H200"),
        ("NVIDIA H20", "H20"), ("NVIDIA GH200 480GB", "GH200"), ("NVIDIA B200", "B200"),
        ("NVIDIA GB200", "GB200"), ("NVIDIA A100-PG509-200", "A100 40GB"),
        ("A100-SXM4-40GB", "A100 40GB"), ("NVIDIA A100-SXM4-80GB", "A100 80GB"),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"), ("NVIDIA A100-PCIE-40GB", "A100 40GB"),
        ("NVIDIA A10G", "A10G"), ("NVIDIA A10", "A10"), ("NVIDIA L40S", "L40S"),
        ("NVIDIA L4", "L4"), ("Tesla T4", "T4"), ("Tesla V100-SXM2-16GB", "V100 SXM"),
        ("Tesla V100-DGXS-32GB", "V100 SXM"), ("Tesla V100-PCIE-16GB", "V100 PCIe"),
        ("Tesla V100S-PCIE-32GB", "V100S PCIe"), ("Tesla P100-PCIE-16GB", "P100 PCIe"),
        ("Tesla P100-SXM2-16GB", "P100 SXM2"), ("Tesla P4", "P4"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"), ("NVIDIA GeForce RTX 4070 Ti", "RTX 4070 Ti"),
        ("NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti"), ("NVIDIA RTX A6000", "RTX A6000"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("AMD Instinct MI300X VF", "MI300X"), ("AMD Instinct MI250X", "MI250X (die)"),
        ("AMD Instinct MI250", "MI250 (die)"), ("AMD Instinct MI100", "MI100"),
        ("AMD Instinct MI355X", "MI355X"), ("Ascend910B3", "Ascend 910B3"),
        ("Ascend910", "Ascend 910A"), ("Ascend910_9391", "Ascend 910C (die)"),
        ("AMD Radeon Graphics", None), ("Ascend NPU", None), ("", None), ("ARTEMIS", None),
    ],
)  # fmt: skip
def test_recorded_names_of_devices(recorded: str, name: str | None) -> None:
    found = peak_of(recorded)
    assert (found.name if found else None) == name


def test_all_known_devices_are_listed_with_their_sources() -> None:
    rows = device_peak_rates(make_model(), every=True).to_pylist()
    assert {row["name"] for row in rows} == {peak.name for peak in known_peaks()}
    assert all(row["source"] and row["peak_tflops"] > 0 for row in rows)


def stepped(*host: Any) -> TraceModel:
    """Two steps of 200 and 100 ns; calls have correlation ids in order."""
    steps = [
        {"name": f"ProfilerStep#{n}", "kind": "step", "start": at, "end": at + 400}
        for n, at in ((5, 0), (6, 500))
    ]
    device = [kernel("sm80_xmma_gemm_bf16bf16", 1_000 * n, 1_000 * n + 500, n) for n in range(1, 4)]
    return make_model([*steps, *host], device, devices=[A100])


def test_flops_of_steps_by_hand() -> None:
    found = stepped(
        product(10), call(20, 1), product(100), call(110, 2), product(510), call(520, 3)
    )
    first, second = step_flops(found).to_pylist()
    # the first step ends with its second kernel, at 2.5 µs, where the second step begins
    assert (first["step"], first["flops"], first["recomputed_flops"]) == (5, 2 * PRODUCT, 0)
    assert first["mfu_pct"] == first["hfu_pct"]
    assert first["mfu_pct"] == pytest.approx(100 * 2 * PRODUCT / 312e12 / 2.5e-6)
    assert second["mfu_pct"] == pytest.approx(100 * PRODUCT / 312e12 / 1.0e-6)
    assert second["covered_pct"] == 100
    assert [row["step"] for row in step_flops(found, Filter(steps=(6, 6))).to_pylist()] == [6]


def test_steps_with_the_same_number_have_flops_of_their_own() -> None:
    steps = [
        {"name": "ProfilerStep#5", "kind": "step", "start": at, "end": at + 90}
        for at in (0, 100, 200)
    ]
    device = [kernel("gemm", 20, 60, 1), kernel("gemm", 120, 160, 2)]
    found = make_model(
        [*steps, product(10), call(20, 1), product(110), call(120, 2)], device, devices=[A100]
    )
    rows = step_flops(found, Filter(time_us=(0, 0.2))).to_pylist()
    assert [(row["step"], row["flops"]) for row in rows] == [(5, PRODUCT), (5, PRODUCT)]
    assert [row["flops"] for row in step_flops(found).to_pylist()] == [PRODUCT, PRODUCT, None]


def test_equal_rows_stand_in_the_order_of_time() -> None:
    """Whatever the codes of their names, which a part of a recording has others of."""
    earlier = {**product(10), "name": "aten::bmm"}
    host = [earlier, call(20, 1), product(110), call(120, 2), {**product(210), "name": "aten::bmm"}]
    device = [kernel("gemm", at, at + 40, n) for n, at in ((1, 20), (2, 120), (3, 220))]
    found = make_model([*host, call(220, 3)], device, devices=[A100])
    of_part = operator_costs(found, Filter(time_us=(0.1, 1.0)))
    assert of_part["name"].to_pylist() == ["aten::mm", "aten::bmm"]


def test_recomputed_operators_count_for_hfu_only() -> None:
    """The backward node runs the forward product again, and then its own."""
    node = {
        "name": "CheckpointFunctionBackward", "start": 90, "end": 300, "sequence": 3,
        "forward_thread": 1,
    }  # fmt: skip
    again = {**product(100), "sequence": 7, "forward_thread": 0}
    host = [
        {**product(10), "sequence": 3, "forward_thread": 0}, call(20, 1),
        node, again, call(110, 2),
        product(200), call(210, 3),
    ]  # fmt: skip
    found = stepped(*host)
    names = found.column("host", "start_ns")[recomputed_rows(found)]
    assert names.tolist() == [100, 110]
    step = step_flops(found).to_pylist()[0]
    assert (step["flops"], step["recomputed_flops"]) == (3 * PRODUCT, PRODUCT)
    assert step["mfu_pct"] == pytest.approx(step["hfu_pct"] * 2 / 3)


def test_an_unknown_peak_or_no_shapes_give_no_share() -> None:
    bare = {"name": "aten::mm", "start": 10, "end": 60}
    for row in step_flops(stepped(bare, call(20, 1))).to_pylist():
        assert row["flops"] is row["mfu_pct"] is row["hfu_pct"] is None
    other = make_model([product(0), call(10, 1)], [kernel("gemm", 100, 200, 1)])
    (row,) = step_flops(other).to_pylist()
    assert (row["flops"], row["mfu_pct"]) == (PRODUCT, None)


def test_flops_of_a_recording_without_a_device() -> None:
    (row,) = step_flops(make_model([product(0)])).to_pylist()
    assert (row["flops"], row["mfu_pct"], row["covered_pct"]) == (PRODUCT, None, None)


def test_npu_kernels_by_hand(shared_data: Path) -> None:
    """Cases of the recording: 32 x 9216 by 4096 x 9216 with a bias, and a fractal convolution."""
    folder = shared_data / "ascend" / "msinsight_text_level1"
    trace = next(iter(nbprof.load(folder, cache=False))).model
    costs = npu_costs(trace)
    names = trace.values("device", "name")
    rows = {
        names[trace.column("device", "name")[row]]: at for at, row in enumerate(costs.row.tolist())
    }
    product_ = rows["aclnnAddmm_MatMulCommon_MatMulV2"]
    shapes = trace.values("npu_kernels", "input_shapes")[
        trace.column("npu_kernels", "input_shapes")[product_]
    ]
    m, k = (int(one) for one in shapes.strip('"').split(";")[0].split(","))
    n = int(shapes.strip('"').split(";")[1].split(",")[0])
    assert costs.flops[product_] == 2 * m * n * k
    assert costs.bytes[product_] == 4 * (m * k + n * k + n + m * n)
    convolution = rows["Conv2D1"]
    assert costs.flops[convolution] == 2 * (32 * 8 * 55 * 55 * 8) * 121 * 8
    assert costs.types[convolution] == "fp32"


@pytest.mark.parametrize("name", ["diff_control", "b200_eager", "resnet50_num_workers_4"])
def test_invariants_on_recorded_traces(name: str, shared_data: Path) -> None:
    trace = next(iter(nbprof.load(shared_data / "kineto" / name, cache=False)))
    kernels = trace.operator_costs(group_by="kernel")
    for group_by in ("name", "name+shape"):
        table = trace.operator_costs(group_by=group_by)
        assert sum(filter(None, table["flops"].to_pylist())) == pytest.approx(
            sum(filter(None, kernels["flops"].to_pylist())), rel=1e-9
        )
        assert share_of(table) == share_of(kernels)
    work = work_rows(trace.model)
    time_us = trace.model.column("device", "duration_ns")[work].sum() / 1e3
    assert sum(kernels["device_us"].to_pylist()) == pytest.approx(time_us)
    steps = trace.step_flops().to_pylist()
    assert all(np.isnan(s["mfu_pct"] or 0) or (s["mfu_pct"] or 0) <= 100 for s in steps)
