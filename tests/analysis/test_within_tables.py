"""The filter `within`: every table accepts it, and is cached under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.devices.device_rows import unlinked_rows, work_rows
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.modules.modules import modules
from nbprof.analysis.operators.operators import operators
from nbprof.model.contract.table import UNLINKED, beside, unlinked
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter, exact
from nbprof.tables import TABLES
from nbprof.tables.trace import compute_table
from tests.analysis.modules.generated import (
    a_training_step,
    call,
    kernel,
    module,
    op,
    traces_with_modules,
)
from tests.support.models import make_model
from tests.support.npu import make_npu
from tests.support.recordings.runs import RUNS
from tests.support.tables import TRACE_TABLES

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace

SAMPLES = (
    "gpu_resnet_synthetic",
    "torch_cpu_convnet",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
)


def total(table: pa.Table, column: str) -> float:
    return pc.sum(table[column]).as_py() or 0.0


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS, progress=False)


@pytest.fixture(params=SAMPLES)
def trace(profile: nbprof.Profile, request: pytest.FixtureRequest) -> Trace:
    return profile.trace(request.param)


@pytest.mark.parametrize("name", TRACE_TABLES)
def test_every_table_takes_it(trace: Trace, name: str) -> None:
    operator = trace.operators()["name"][0].as_py()
    for within in (exact(operator), "conv", "/no such name/"):
        table = compute_table(trace.filter(within=within), name)
        assert table.schema.remove_metadata() == compute_table(trace, name).schema
        if TABLES[name].whole_devices:
            assert beside(table) == "of all work; the within filter does not apply here"
            assert table.equals(compute_table(trace, name))
        else:
            assert unlinked(table) is not None
    assert UNLINKED not in (compute_table(trace, name).schema.metadata or {})


def test_what_launches_nothing_of_that_name_leaves_nothing(trace: Trace) -> None:
    none = trace.filter(within="=no such name")
    for name in ("operators", "kernels", "user_events", "modules", "memory_events", "slices"):
        assert compute_table(none, name).num_rows == 0
    whole, steps = trace.steps(), none.steps()
    for column in ("step", "start_us", "end_us", "total_us", "complete"):
        assert steps[column].equals(whole[column])
    assert total(steps, "other_us") == pytest.approx(total(whole, "total_us"))


@given(model=traces_with_modules(), name=st.sampled_from(["A", "B", "x", "y"]))
def test_kernels_add_up_to_the_rows_that_pass(model: TraceModel, name: str) -> None:
    filter_ = Filter(within=exact(name))
    kept = selection.device_rows(model, filter_) & work_rows(model)
    expected = model.column("device", "duration_ns")[kept].sum() / 1000
    assert total(kernels(model, filter_), "total_us") == pytest.approx(expected)
    device = device_time(model)
    narrowed = device_time(model, filter_)
    assert narrowed.equals(device)


@pytest.mark.parametrize("name", ["Net_0", "Linear_0", "Act_0", "Loss_0"])
def test_a_module_has_the_time_of_the_kernels_within_it(name: str) -> None:
    model = a_training_step()
    [row] = [row for row in modules(model).to_pylist() if row["name"] == name]
    within = kernels(model, Filter(within=exact(name)))
    assert row["device_total_us"] + row["backward_device_us"] == total(within, "total_us")


def test_device_work_without_a_link_is_counted() -> None:
    model = make_model(
        [op("aten::mm", 0, 10), call(1, 1, 2), module("A", 20, 30)],
        [kernel(1, 5), kernel(7, 5), kernel(8, 5, stream=9), kernel(9, 5, kind="sync")],
    )
    within = Filter(within="=aten::mm")
    assert kernels(model, within)["calls"].to_pylist() == [1]
    counts = unlinked_rows
    assert counts(model, within) == 2
    assert counts(model, within.replace(streams=[7])) == 1
    assert counts(model, within.replace(name="no kernel")) == 0


@pytest.mark.parametrize("name", TRACE_TABLES)
def test_nothing_is_kept_for_another_text(name: str) -> None:
    """Tables asked of one model in turn are those of a model that nothing was asked of before."""
    filters = [
        Filter(),
        Filter(within="=Linear_0"),
        Filter(within="Linear_0"),
        Filter(within="=Net_0"),
        Filter(within="=Net_0", name="gemm"),
        Filter(name="gemm"),
        Filter(within="=Linear_0"),
    ]
    table = TABLES[name].make
    shared = a_training_step()
    for filter_ in filters:
        assert table(shared, filter_).equals(table(a_training_step(), filter_))


def test_operators_without_times_go_by_their_name() -> None:
    measured = [
        {"name": "aten::mm", "host_total_us": 5.0},
        {"name": "aten::add", "host_total_us": 7.0},
    ]
    model = make_npu(measured=measured, device=[{"name": "MatMul", "start": 0, "end": 9}])
    filter_ = Filter(within="=aten::mm")
    assert operators(model, filter_)["name"].to_pylist() == ["aten::mm"]
    assert kernels(model, filter_).num_rows == 0
    assert unlinked_rows(model, filter_) == 1
