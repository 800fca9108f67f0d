"""Use of matrix units, derived from kernel name, operator and device, in every table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.devices.device_rows import work_of_kind
from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.kernels.matrix_devices import term, vendor
from nbprof.analysis.kernels.matrix_operators import cannot_multiply, could_multiply
from nbprof.analysis.kernels.matrix_units import DTYPES, dtype_of_rows, use_of_rows
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operators import operators
from nbprof.model.contract.table import term_of
from nbprof.model.filters.filter import Filter
from nbprof.model.trace import kinds
from tests.analysis import slow
from tests.analysis.advice.test_defects import call, kernel, op, step
from tests.analysis.advice.test_recommendations import V100, said
from tests.analysis.generated import NAMES, filters, rows
from tests.charts.support import kernel_donuts, texts
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

MI300 = {**V100, "name": "AMD Instinct MI300X", "compute_major": 9, "compute_minor": 4}
USE = {True: 1, False: 0, None: -1}
#: What the names of generated kernels say by themselves.
BY_NAME = {"sgemm": 0, "s884gemm": 1, "fused_kernel": -1, "ncclKernel_AllReduce": -1}


@st.composite
def traces(draw: st.DrawFn) -> TraceModel:
    """Draw a trace with kernels of all three kinds."""
    host, device = draw(rows(NAMES))
    for row in device:
        if row["name"] == "elementwise":
            row["name"] = "fused_kernel"
    return make_model(host, device, devices=draw(st.sampled_from([[], [V100]])))


def plain_use(model: TraceModel) -> dict[int, int]:
    """Return the use of every kernel by its device row, one by one."""
    host = model.tables["host"].to_pylist()
    communicates = device_communication(model)
    found = {}
    for row in slow.rows_of(model, "device"):
        if row.kind != "kernel":
            continue
        use = BY_NAME[row.name]
        operator = int(model.links.operator[row.index])
        if use < 0 and communicates[row.index]:
            use = 0
        if use < 0 and operator >= 0 and host[operator]["name"] == "aten::add":
            use = 0
        found[row.index] = use
    return found


@given(traces(), filters())
def test_every_table_agrees_with_the_launches(model: TraceModel, filter_: Filter) -> None:
    use = plain_use(model)
    rows_ = {row.index: row for row in slow.rows_of(model, "device")}
    got = use_of_rows(model)
    assert {row: int(got[row]) for row in use} == use
    assert all(got[row] == 0 for row in rows_ if row not in use)

    of_name: dict[str, set[int]] = {}
    for row, one in use.items():
        of_name.setdefault(rows_[row].name, set()).add(one)
    for line in kernels(model, filter_).to_pylist():
        values = of_name[line["name"]]
        wanted = values.pop() if len(values) == 1 else -1
        assert USE[line["matrix_unit_used"]] == wanted, "whatever the filter"
        values.add(wanted)
        assert line["tensor_core_used"] is line["matrix_unit_used"]

    launches = kernels(model, group_by="launch").to_pylist()
    assert [USE[line["matrix_unit_used"]] for line in launches] == [use[row] for row in sorted(use)]

    # Without properties of devices, calls to CUDA tell whose devices they are.
    calls = any(row.kind == "runtime" for row in slow.rows_of(model, "host"))
    maker_is_known = calls or model.tables["devices"].num_rows > 0
    for line in device_summary(model).to_pylist():
        own = [r for r in use if rows_[r].more["device"] == line["device"]]
        whole = sum(rows_[r].duration for r in own) if maker_is_known else 0
        for column, code in (("matrix_unit_pct", 1), ("matrix_unit_unknown_pct", -1)):
            part = sum(rows_[r].duration for r in own if use[r] == code)
            assert line[column] == (pytest.approx(100 * part / whole) if whole else None)
        assert line["tensor_core_pct"] == line["matrix_unit_pct"]


@given(traces())
def test_operators_count_what_they_and_their_callees_launched(model: TraceModel) -> None:
    use, calls = plain_use(model), operator_calls(model)
    names = model.values("host", "name")
    time: dict[str, dict[int, int]] = {}
    for row in slow.rows_of(model, "device"):
        at = int(calls.call_of_device[row.index]) if row.index in use else -1
        while at >= 0:
            name = names[model.column("host", "name")[calls.row[at]]]
            sums = time.setdefault(name, {1: 0, 0: 0, -1: 0})
            sums[use[row.index]] += row.duration
            at = int(calls.forest.parent[at])
    for line in operators(model).to_pylist():
        sums = time.get(line["name"], {})
        whole = sum(sums.values())
        for column, code in (("matrix_unit_pct", 1), ("matrix_unit_unknown_pct", -1)):
            wanted = pytest.approx(100 * sums[code] / whole) if whole else None
            assert line[column] == wanted


def one(name: str, operator: str | None = "aten::mm", **options: Any) -> dict[str, Any]:
    """Return what the launch of a kernel by some operator says."""
    types = options.pop("types", None)
    host = [] if operator is None else [op(operator, 0, 50, input_types=types), call(1, 2, 1)]
    model = make_model(host, [kernel(10, 20, 1, name=name)], **options)
    (line,) = kernels(model, group_by="launch").to_pylist()
    return line


@pytest.mark.parametrize(
    ("name", "operator", "used"),
    [
        ("fused_kernel", "aten::mm", None),
        ("fused_kernel", "my::op", None),
        ("fused_kernel", None, None),
        ("fused_kernel", "aten::add_", False),
        ("fused_kernel", "aten::_foreach_add_", False),
        ("fused_kernel", "aten::_fused_adamw_", False),
        ("fused_kernel", "aten::threshold_backward", False),
        ("fused_kernel", "aten::_softmax_backward_data", False),
        ("fused_kernel", "NativeLayerNormBackward0", False),
        ("fused_kernel", "autograd::engine::evaluate_function: MulBackward0", False),
        ("fused_kernel", "torch::autograd::AccumulateGrad", False),
        ("fused_kernel", "record_param_comms", False),
        ("fused_kernel", "MmBackward0", None),
        ("ncclDevKernel_AllReduce", "aten::mm", False),
        ("nvjet_tst_64x8", "aten::add", True),  # the name says more than the operator
        ("nvjet_tst_64x8", None, True),
        ("sgemm", "aten::mm", False),
    ],
)
def test_name_and_operator(name: str, operator: str | None, used: bool | None) -> None:
    assert one(name, operator)["matrix_unit_used"] is used


@pytest.mark.parametrize(
    ("device", "used"),
    [
        ({}, True),
        ({"compute_major": 6}, False),
        ({"compute_major": -1}, True),
        ({"name": "NVIDIA GeForce GTX 1660 Ti", "compute_major": 7, "compute_minor": 5}, False),
        ({"name": "NVIDIA T4", "compute_major": 7, "compute_minor": 5}, True),
        ({"name": "NVIDIA B200", "compute_major": 10}, True),
        ({"name": "AMD Radeon RX 6900 XT", "compute_major": 10, "compute_minor": 3}, False),
        ({"name": "AMD Radeon RX 7900 XTX", "compute_major": 11}, True),
        ({"name": "AMD Instinct MI50", "compute_major": 9}, False),
        ({"name": "AMD Instinct MI100", "compute_major": 9}, True),
        ({"name": "gfx906", "compute_major": 9}, False),
        ({"name": "gfx90a", "compute_major": 9}, True),
    ],
)
def test_devices_without_units(device: dict[str, Any], used: bool) -> None:
    model = make_model([], [kernel(10, 20, name="hmma")], devices=[{**V100, **device}])
    table = kernels(model)
    assert table["matrix_unit_used"].to_pylist() == [used]
    assert (term(model) is None) == (not used)
    assert ("tensor_cores" in kernel_donuts(table)) == used


@pytest.mark.parametrize(
    ("options", "made_by", "called"),
    [
        ({"devices": [V100]}, "nvidia", "Tensor Cores"),
        ({"devices": [MI300]}, "amd", "Matrix Cores"),
        (
            {"devices": [{**MI300, "name": ""}], "metadata": {"hip_runtime_version": 7}},
            "amd",
            "Matrix Cores",
        ),
        ({"devices": [{**V100, "name": "Intel(R) Data Center GPU Max 1550"}]}, "", "Matrix units"),
        ({}, "", "Matrix units"),
    ],
)
def test_terms(options: dict[str, Any], made_by: str, called: str) -> None:
    model = make_model([], [kernel(10, 20, name="hmma")], **options)
    assert (vendor(model), term(model)) == (made_by, called)
    for table in (kernels(model), device_summary(model)):
        column = next(name for name in table.column_names if name.startswith("matrix_unit"))
        assert term_of(table, column) == called
    drawn = kernel_donuts(kernels(model))["tensor_cores"]
    assert f"{called}, share of kernel time" in texts(drawn)


@pytest.mark.parametrize("name", ["merge", "elementwise_kernel"])
def test_nothing_is_said_of_units_that_nobody_knows(name: str) -> None:
    host = [op("aten::mm", 0, 50), call(5, 9, 1, name="launch")]
    model = make_model(host, [kernel(60, 80, 1, name=name)])
    assert term(model) is None
    (device,) = device_summary(model).to_pylist()
    (operator,) = operators(model).to_pylist()
    assert operator["device_self_us"] > 0
    for row in (device, operator):
        assert (row["matrix_unit_pct"], row["matrix_unit_unknown_pct"]) == (None, None)
    assert device["tensor_core_pct"] is None
    assert "tensor_cores" not in kernel_donuts(kernels(model))


def test_no_device_no_term() -> None:
    model = make_model([op("aten::mm", 0, 50)])
    assert term(model) is None
    assert operators(model)["matrix_unit_pct"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("name", "types", "device", "dtype"),
    [
        ("s1688gemm", None, V100, "tf32"),
        ("nvjet_x", '["c10::BFloat16", "c10::BFloat16"]', V100, "bf16"),
        ("hmma", '["float", "float", "Scalar"]', V100, "tf32"),
        ("_MI16x16x1", '["float", "float"]', MI300, "fp32"),
        ("hmma", '["", "c10::Float8_e4m3fn"]', V100, "fp8"),
        ("hmma", "[]", V100, None),
        ("hmma", "not json", V100, None),
        ("sgemm", '["float"]', V100, None),
        ("fused_kernel", '["c10::Half"]', V100, None),
    ],
)
def test_types(name: str, types: str | None, device: dict[str, Any], dtype: str | None) -> None:
    assert one(name, types=types, devices=[device])["matrix_unit_dtype"] == dtype
    # An operator that is no product tells nothing of the type.
    if dtype not in (None, "tf32") or name == "hmma":
        line = one(name, "my::op", types=types, devices=[device])
        assert line["matrix_unit_dtype"] in (None, "tf32")


def test_a_type_that_differs_is_no_type() -> None:
    host = [
        op("aten::mm", 0, 50, input_types='["c10::Half"]'),
        call(1, 2, 1),
        op("aten::mm", 60, 90, input_types='["c10::BFloat16"]'),
        call(61, 62, 2),
    ]
    model = make_model(host, [kernel(10, 20, 1, name="hmma"), kernel(70, 80, 2, name="hmma")])
    codes = dtype_of_rows(model)[np.flatnonzero(work_of_kind(model, kinds.KERNEL))]
    assert [DTYPES[code] for code in codes] == ["fp16", "bf16"]
    assert kernels(model)["matrix_unit_dtype"].to_pylist() == [None]
    assert kernels(model)["matrix_unit_used"].to_pylist() == [True]


def test_launches_that_differ_are_unknown_by_name() -> None:
    host = [op("aten::add", 0, 50), call(1, 2, 1), op("aten::mm", 60, 90), call(61, 62, 2)]
    device = [kernel(10, 20, 1, name="x"), kernel(70, 80, 2, name="x")]
    model = make_model(host, device)
    for filter_ in (Filter(), Filter(time_us=(0, 50))):
        assert kernels(model, filter_)["matrix_unit_used"].to_pylist() == [None]
    by_launch = kernels(model, group_by="properties").to_pylist()
    assert {r["operator"]: r["matrix_unit_used"] for r in by_launch} == {
        "aten::add": False,
        "aten::mm": None,
    }
    (summary,) = device_summary(model).to_pylist()
    assert (summary["matrix_unit_pct"], summary["matrix_unit_unknown_pct"]) == (0.0, 50.0)


def test_advice_never_counts_what_is_unknown() -> None:
    host = [step(1, 0, 100), op("aten::mm", 5, 20), call(6, 7, 1), call(8, 9, 2)]
    known = [kernel(10, 30, 1, name="sgemm")]
    unknown = [kernel(30, 90, 2, name="fused_kernel")]
    assert "mixed_precision" not in said(make_model(host, unknown, devices=[V100]))
    row = said(make_model(host, known + unknown, devices=[V100]))["mixed_precision"]
    assert row["message"].startswith("25 % of kernel time")
    assert "(another 75 %: unknown)." in row["message"]


def test_no_operator_is_on_both_lists() -> None:
    for name in ("aten::mm", "aten::convolution_backward", "aten::prelu", "MmBackward0"):
        assert could_multiply(name)
        assert not cannot_multiply(name)
    for name in ("aten::einsum", "aten::cdist", "aten::_cudnn_rnn", "aten::linalg_inv_ex"):
        assert not could_multiply(name)
        assert not cannot_multiply(name)
    assert cannot_multiply("relu dygraph")
    assert cannot_multiply("BatchNormGradNode")
    assert not cannot_multiply("matmul dygraph")
    assert not cannot_multiply("user's relu")
