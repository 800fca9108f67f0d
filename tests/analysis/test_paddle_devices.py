"""Busy time and communication of devices in Paddle traces, compared with plain loops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.kernels.communication import (
    communication_calls,
    device_communication,
    host_communication,
)
from nbprof.analysis.kernels.matrix_operators import could_multiply
from nbprof.analysis.steps.steps import steps
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter
from tests.analysis import slow
from tests.analysis.generated import filters
from tests.analysis.steps import slow_stages
from tests.analysis.steps.generated_stages import paddle_traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def share(part: float, whole: float) -> Any:
    return pytest.approx(100 * part / whole) if whole else None


@given(paddle_traces(), filters())
def test_device_summary(model: TraceModel, filter_: Filter) -> None:
    rows = device_summary(model, filter_).to_pylist()
    # Whatever runs counts, not only the rows that a filter chooses.
    filter_ = Filter(steps=filter_.steps, time_us=filter_.time_us, devices=filter_.devices)
    cpus = [row for row in rows if row["device_type"] == "cpu"]
    assert cpus == ([] if filter_.devices else rows[:1])
    windows = slow_stages.windows(model, filter_)
    whole = sum(high - low for low, high in windows.values())
    work = [row for _, _, row in slow_stages.launched(model, filter_)]
    work += launched_by_nobody(model, filter_)
    for entry in rows:
        if entry["device_type"] == "cpu":
            assert entry["device"] is entry["utilization_pct"] is None
            continue
        here = [row for row in work if row.more["device"] == entry["device"]]
        kernels = [row for row in here if row.kind == "kernel"]
        moments = set().union(*(row.moments for row in kernels))
        assert entry["utilization_pct"] == share(len(moments), whole)
        busy = len(set().union(*(row.moments for row in here)))
        assert entry["idle_pct"] == share(max(whole - busy, 0), whole)
        told = [row for row in kernels if not math.isnan(row.more["blocks_per_sm"])]
        if told:
            in_use = sum(min(row.more["blocks_per_sm"], 1) * row.duration for row in told)
            assert entry["sm_efficiency_pct"] == share(in_use, whole)
        used = sum(row.duration for row in kernels if "s884" in row.name)
        assert entry["tensor_core_pct"] == share(used, sum(row.duration for row in kernels))


def launched_by_nobody(model: TraceModel, filter_: Filter) -> list[slow.Row]:
    """Return the work of steps of which the launch is not known: that which started in one."""
    kept = selection.device_rows(model, filter_)
    starts, ends = model.steps.start_ns.tolist(), model.steps.end_ns.tolist()
    return [
        row
        for row in slow.rows_of(model, "device")
        if row.kind in slow.WORK and kept[row.index] and slow_stages.source_of(model, row) < 0
        if any(low <= row.start < high for low, high in zip(starts, ends, strict=True))
    ]


def test_kernels_without_launches_keep_a_device_busy() -> None:
    kernels = [{"name": "gemm", "start": 10 * i, "end": 10 * i + 5} for i in range(4)]
    model = make_model([row("Net", "Forward", 0, 40)], kernels, metadata={"device_type": "gpu"})
    *_, gpu = device_summary(model).to_pylist()
    assert (gpu["utilization_pct"], gpu["idle_pct"]) == (50.0, 50.0)


@given(paddle_traces())
def test_what_runs_inside_communication_is_communication(model: TraceModel) -> None:
    host, types = slow.rows_of(model, "host"), slow_stages.types_of(model)
    calls = {
        row.index
        for row in host
        if types[row.index] == "Communication"
        or (row.kind == "operator" and "allreduce" in row.name)
    }
    assert set(np.flatnonzero(communication_calls(model)).tolist()) == calls
    found = device_communication(model)
    for row in slow.rows_of(model, "device"):
        source = slow_stages.source_of(model, row)
        round_it = [] if source < 0 else [source, *slow_stages.ancestors(model, source)]
        named = "nccl" in row.name and row.kind != "annotation"
        assert found[row.index] == (named or bool(calls & set(round_it)))


def row(name: str, kind: str, start: int, end: int) -> dict[str, Any]:
    return {"name": name, "kind": "annotation", "event_type": kind, "start": start, "end": end}


@pytest.mark.parametrize(
    ("name", "on_device", "communicates"),
    [
        ("ProcessGroupNCCL::AllReduce", True, False),
        ("ProcessGroupGloo::AllReduce", True, True),
        ("ProcessGroupMPI::AllReduce", True, True),
        ("send", False, True),
    ],
)
def test_hosts_communicate_where_no_device_does(
    name: str, on_device: bool, communicates: bool
) -> None:
    kernel = {"name": "gemm", "start": 50, "end": 60}
    model = make_model([row(name, "Communication", 0, 10)], [kernel] if on_device else [])
    assert host_communication(model).tolist() == [communicates]
    [step] = steps(model).to_pylist()
    assert (step["communication_us"] > 0) == communicates


def test_names_of_paddle_mean_nothing_elsewhere() -> None:
    model = make_model([{"name": "aten::broadcast_tensors", "start": 0, "end": 5}])
    assert not communication_calls(model).any()


def test_loading_data_is_known_by_its_type() -> None:
    model = make_model([row("DataLoaderIter", "Dataloader", 0, 10), row("Net", "Forward", 10, 20)])
    [step] = steps(model).to_pylist()
    assert (step["dataloader_us"], step["cpu_exec_us"]) == (0.01, 0.01)


def test_the_cpu_says_what_the_recording_says() -> None:
    told = {"format": "Paddle", "process_cpu_pct": 125.0, "system_cpu_pct": 40.0}
    [cpu] = device_summary(make_model(metadata=told)).to_pylist()
    assert (cpu["process_cpu_pct"], cpu["system_cpu_pct"]) == (125.0, 40.0)
    assert device_summary(make_model(metadata=told), Filter(devices=(0,))).num_rows == 0


@pytest.mark.parametrize(
    ("name", "could"),
    [
        ("matmul dygraph", True),
        ("Global_Conv2dGradNodeFinal", True),
        ("MatmulGradNode", True),
        ("fused_gemm_epilogue dygraph", True),
        ("multiply dygraph", False),
        ("Global_AddGradNode", False),
        ("conv2d", False),  # what is not Paddle's may have any name
    ],
)
def test_operators_that_multiply_matrices(name: str, *, could: bool) -> None:
    assert could_multiply(name) == could
