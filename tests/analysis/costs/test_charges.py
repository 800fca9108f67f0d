"""Costs are charged once, to the call that does the work, and divided among its kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.analysis.costs.charges import charges_of
from nbprof.analysis.costs.registry import FORMULAS
from nbprof.analysis.devices.device_rows import work_rows
from tests.analysis.costs.support import texts
from tests.support.models import make_model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


def op(name: str, start: int, end: int, types: str, shapes: list[Any], **more: Any) -> Any:
    shapes_text, types_text, values = texts(types, shapes, more.pop("values", None))
    row = {"name": name, "start": start, "end": end, "input_shapes": shapes_text}
    return {**row, "input_types": types_text, "input_values": values, **more}


def call(start: int, correlation: int) -> Any:
    return {
        "name": "cudaLaunchKernel", "kind": "runtime", "start": start, "end": start + 1,
        "correlation": correlation,
    }  # fmt: skip


def kernel(name: str, start: int, end: int, correlation: int) -> Any:
    return {"name": name, "start": start, "end": end, "correlation": correlation}


def charged(model: TraceModel) -> dict[str, float]:
    found = charges_of(model)
    names = model.values("host", "name")
    codes = model.column("host", "name")
    return {names[codes[row]]: found.flops[row] for row in np.flatnonzero(found.charged)}


LINEAR = op("aten::linear", 0, 100, "fff", [[4, 8], [2, 8], [2]])
ADDMM = op("aten::addmm", 10, 90, "fffss", [[2], [4, 8], [8, 2]])


def test_the_innermost_call_is_charged() -> None:
    model = make_model([LINEAR, ADDMM, call(20, 1)], [kernel("gemm", 200, 300, 1)])
    assert charged(model) == {"aten::addmm": 128}
    assert charges_of(model).device_flops.tolist() == [128]


def test_without_a_device_too() -> None:
    assert charged(make_model([LINEAR, ADDMM])) == {"aten::addmm": 128}


def test_calls_whose_kernels_are_not_recorded_are_not_charged() -> None:
    other = [op("aten::mm", 110, 120, "ff", [[4, 8], [8, 2]])]
    model = make_model([LINEAR, ADDMM, call(20, 1), *other], [kernel("gemm", 200, 300, 1)])
    assert charged(model) == {"aten::addmm": 128}


def test_small_work_inside_is_charged_beside_its_caller() -> None:
    """A convolution that copies its input is charged, and so is the copy."""
    convolution = op(
        "aten::convolution", 0, 100, "ff-SSSsSs", [[2, 3, 8, 8], [4, 3, 3, 3]],
        values={3: [1, 1], 4: [1, 1], 5: [1, 1], 6: False, 7: [0, 0], 8: 1},
    )  # fmt: skip
    copy = op("aten::copy_", 10, 20, "ffs", [[2, 3, 8, 8], [2, 3, 8, 8]])
    device = [kernel("elementwise_kernel", 200, 210, 1), kernel("conv", 210, 300, 2)]
    model = make_model([convolution, copy, call(12, 1), call(50, 2)], device)
    assert charged(model) == {"aten::convolution": 2 * 512 * 27, "aten::copy_": 0}
    assert charges_of(model).device_flops.tolist() == [0, 2 * 512 * 27]


def test_kernels_share_by_time_and_helpers_have_nothing() -> None:
    device = [
        kernel("void cudnn::nchwToNhwcKernel<float>", 200, 250, 1),
        kernel("gemm_a", 250, 280, 2),
        kernel("gemm_b", 280, 290, 3),
    ]
    host = [ADDMM, *(call(10 + 10 * n, n) for n in (1, 2, 3))]
    found = charges_of(make_model(host, device))
    assert found.device_flops.tolist() == [0, 96, 32]
    assert found.owner.tolist() == [0, 0, 0]


def test_a_helper_has_all_if_it_is_alone() -> None:
    found = charges_of(
        make_model([ADDMM, call(20, 1)], [kernel("splitKreduce_kernel", 200, 200, 1)])
    )
    assert found.device_flops.tolist() == [128]


def test_a_kernel_of_an_operator_without_formula_belongs_to_the_charged_call_around_it() -> None:
    inner = {"name": "lib::gemm", "start": 20, "end": 60}
    model = make_model([ADDMM, inner, call(30, 1)], [kernel("gemm", 200, 300, 1)])
    assert charged(model) == {"aten::addmm": 128}
    assert charges_of(model).device_flops.tolist() == [128]


def test_collectives_have_the_bytes_of_their_messages() -> None:
    host = [op("c10d::allreduce_", 0, 50, "f", [[64]]), op("nccl:all_reduce", 5, 40, "f", [[64]])]
    model = make_model([*host, call(10, 1)], [kernel("ncclDevKernel_AllReduce", 100, 200, 1)])
    found = charges_of(model)
    assert (found.device_flops.tolist(), found.device_bytes.tolist()) == ([0], [256])


@pytest.fixture
def registered() -> Iterator[list[str]]:
    """Unregister formulas of a test."""
    names: list[str] = []
    yield names
    for name in names:
        FORMULAS.unregister(name)


def test_users_add_formulas_by_name(registered: list[str]) -> None:
    row = op("mylib::norm", 0, 100, "f", [[4, 8]])
    model = make_model([row, call(20, 1)], [kernel("norm", 200, 300, 1)])
    assert charged(model) == {}
    nbprof.register(
        nbprof.CostFormula("norm", ("mylib::*",), lambda inputs: nbprof.Cost(inputs.count(0)))
    )
    registered.append("norm")
    assert charged(model) == {"mylib::norm": 32}


def test_a_users_formula_wins(registered: list[str]) -> None:
    model = make_model([ADDMM, call(20, 1)], [kernel("gemm", 200, 300, 1)])
    nbprof.register(nbprof.CostFormula("mine", ("aten::addmm",), lambda _: nbprof.Cost(1, 2)))
    registered.append("mine")
    found = charges_of(model)
    assert (found.device_flops.tolist(), found.device_bytes.tolist()) == ([1], [2])


def test_a_formula_that_fails_is_reported(registered: list[str]) -> None:
    nbprof.register(nbprof.CostFormula("bad", ("aten::addmm",), lambda _: 1 / 0))  # type: ignore[arg-type]
    registered.append("bad")
    model = make_model([ADDMM, call(20, 1)], [kernel("gemm", 200, 300, 1)])
    with pytest.warns(nbprof.ExtensionWarning, match=r"'bad' failed for aten::addmm. ZeroDivision"):
        assert np.isnan(charges_of(model).device_flops).all()


@pytest.mark.parametrize("broken", ["null", "[[1, [2]]]", '{"a": 1}', "[[-1, 2], [2, 1e999]]", "["])
def test_odd_inputs_have_no_cost(broken: str) -> None:
    row = {**ADDMM, "input_shapes": broken}
    model = make_model([row, call(20, 1)], [kernel("gemm", 200, 300, 1)])
    assert np.isnan(charges_of(model).device_flops).all()


@pytest.mark.parametrize("name", ["h100_qwen", "resnet50_num_workers_0", "mi300_flux_capture"])
def test_shares_of_kernels_sum_to_the_costs_of_calls(name: str, shared_data: Path) -> None:
    model = next(iter(nbprof.load(shared_data / "kineto" / name, cache=False))).model
    found = charges_of(model)
    for of_calls, of_kernels in (
        (found.flops, found.device_flops),
        (found.bytes, found.device_bytes),
    ):
        assert np.nansum(of_kernels) == pytest.approx(np.nansum(of_calls), rel=1e-12)
        assert np.isnan(of_kernels[~work_rows(model)]).all()
