"""Table `kernel_launches` compared with plain loops, and against the other tables of kernels."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

import nbprof
from nbprof.analysis.launches.kernel_launches import kernel_launches
from nbprof.model.filters import selection
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.conftest import ROOT
from tests.support.recordings.runs import RUNS
from tests.support.traces import kernel, op, read_trace, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

SAMPLES = ("gpu_resnet_synthetic", "npu_convnet_synthetic")


def plain(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    """Return what is known of the origin of each kernel, row by row."""
    host, device = slow.rows_of(model, "host"), slow.rows_of(model, "device")
    keeps = selection.device_rows(model, filter_)
    links, parents = model.links, model.nesting.parent
    found = []
    for row in device:
        if row.kind != "kernel" or not keeps[row.index]:
            continue
        launch, operator = int(links.launch[row.index]), int(links.operator[row.index])
        call = host[launch] if launch >= 0 else None
        around, one = [], launch if launch >= 0 else operator
        queued = call and operator >= 0 and host[operator].more["thread"] != call.more["thread"]
        if queued:
            one = operator
        while one >= 0:
            around.append(host[one])
            one = int(parents[one])
        # Data loaders and optimizers may be recorded as operators, which they are not.
        annotations = [
            r
            for r in around
            if r.kind == "annotation" or (r.kind == "operator" and not slow.is_operator(r))
        ]
        numbered = []
        one = operator
        while one >= 0:
            if host[one].kind == "operator" and host[one].more["sequence"] >= 0:
                numbered.append(host[one].more["sequence"])
            one = int(parents[one])
        found.append(
            {
                "name": row.name,
                "start_us": row.start / 1000,
                "duration_us": row.duration / 1000,
                "operator": host[operator].name if operator >= 0 else None,
                "launch_us": call.duration / 1000 if call else None,
                "queue_us": max(row.start - call.end, 0) / 1000 if call else None,
                "annotation": annotations[0].name if annotations else None,
                "sequence": numbered[0] if numbered else None,
                "input_shapes": host[operator].more["input_shapes"] if operator >= 0 else None,
            }
        )
    return found


@given(traces(), filters())
def test_origins_against_plain_loops(model: TraceModel, filter_: Filter) -> None:
    expected = plain(model, filter_)
    rows = kernel_launches(model, filter_).to_pylist()
    assert [{key: row[key] for key in one} for row, one in zip(rows, expected, strict=True)] == (
        expected
    )


@pytest.mark.parametrize("sample", SAMPLES)
def test_its_rows_add_up_to_the_kernels(sample: str) -> None:
    trace = nbprof.load(RUNS / sample).trace()
    launches = trace.kernel_launches()
    assert launches.drop_columns(["call_stack"]).equals(trace.kernels(group_by="launch"))
    assert trace.kernel_launches(stacks=False).equals(launches.drop_columns(["call_stack"]))
    assert launches["start_us"].to_pylist() == sorted(launches["start_us"].to_pylist())
    sums: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    for row in launches.select(["name", "duration_us"]).to_pylist():
        sums[row["name"]] += row["duration_us"]
        calls[row["name"]] += 1
    for row in trace.kernels().to_pylist():
        assert calls[row["name"]] == row["calls"]
        assert math.isclose(sums[row["name"]], row["total_us"], rel_tol=1e-12)
    stacks = {(r["name"], r["call_stack"]) for r in launches.to_pylist()}
    grouped = trace.kernels(group_by="name+stack").to_pylist()
    assert stacks == {(r["name"], r["call_stack"]) for r in grouped}


def test_costs_add_up_to_those_of_kernels() -> None:
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    launches = trace.kernel_launches(stacks=False).to_pylist()
    kernels = {row["kernel"]: row for row in trace.operator_costs(group_by="kernel").to_pylist()}
    names = {row["name"] for row in launches}
    assert names <= kernels.keys()
    for name in names:
        own = [row for row in launches if row["name"] == name]
        for column in ("flops", "bytes"):
            known = [row[column] for row in own if row[column] is not None]
            total = kernels[name][column]
            # Each share is rounded.
            assert total is None if not known else abs(sum(known) - total) <= len(known), name
    for row in launches:
        if row["flops"] and row["bytes"]:
            assert row["intensity"] == pytest.approx(row["flops"] / row["bytes"], rel=1e-3)
            assert row["bound"] in ("compute", "memory")
        if not row["flops"] and not row["bytes"]:
            assert (row["bound"], row["pct_of_peak"]) == ("unknown", None)


def read(folder: Path, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    model = read_trace(write(folder / "w.pt.trace.json", events))
    return kernel_launches(model).to_pylist()


def call(name: str, ts: float, correlation: int, dur: float = 1, tid: int = 1) -> dict[str, Any]:
    args = {"correlation": correlation}
    return op(name, ts, dur, cat="cuda_runtime", args=args, tid=tid)


def ran(name: str, ts: float, correlation: int, **args: Any) -> dict[str, Any]:
    return kernel(name, ts, 2, correlation=correlation, **args)


def test_directions(tmp_path: Path) -> None:
    """The ranges around a launch decide, also where both passes run at the same time."""
    engine = "autograd::engine::evaluate_function: MmBackward0"
    label = {"cat": "user_annotation"}
    rows = read(
        tmp_path,
        [
            op("ProfilerStep#1", 0, 200, **label),
            op("aten::mm", 10, 20, args={"Sequence number": 5, "Fwd thread id": 0}),
            call("cudaLaunchKernel", 12, 1),
            ran("forward", 40, 1),
            op(engine, 15, 20, tid=2, args={"Sequence number": 5, "Fwd thread id": 1}),
            op("MmBackward0", 16, 15, tid=2, args={"Sequence number": 5, "Fwd thread id": 1}),
            op("aten::mm", 17, 10, tid=2),
            call("cudaLaunchKernel", 18, 2, tid=2),
            ran("backward", 50, 2),
            op("Optimizer.step#SGD.step", 100, 50, **label),
            op("aten::add_", 110, 10),
            call("cudaLaunchKernel", 111, 3),
            ran("optimizer", 160, 3),
            call("cudaLaunchKernel", 190, 4),
            ran("between", 192, 4),
        ],
    )
    found = {row["name"]: row for row in rows}
    assert {name: row["direction"] for name, row in found.items()} == {
        "forward": "forward",
        "backward": "backward",
        "optimizer": "optimizer",
        "between": None,
    }
    assert found["backward"]["forward_operator"] == "aten::mm"
    assert found["backward"]["sequence"] == found["forward"]["sequence"] == 5
    assert found["backward"]["thread"] == 2
    assert found["optimizer"]["annotation"] == "Optimizer.step#SGD.step"
    assert found["forward"]["annotation"] is None, "steps are no annotations"


def test_launches_of_graphs_and_unknown_ones(tmp_path: Path) -> None:
    rows = read(
        tmp_path,
        [
            op("aten::mm", 0, 5),
            call("cudaGraphLaunch", 10, 1, dur=5),
            ran("first", 12, 1),
            ran("second", 20, 1),
            call("cudaLaunchKernel", 30, 2),
            ran("own", 31, 2),
            ran("lost", 40, 99),
        ],
    )
    found = {row["name"]: row for row in rows}
    assert {name: row["status"] for name, row in found.items()} == {
        "first": "graph",
        "second": "graph",
        "own": "launched",
        "lost": "unknown",
    }
    assert found["first"]["queue_us"] == 0, "it starts before the call returns"
    assert found["second"]["queue_us"] == 5
    assert found["second"]["launch_us"] == 5
    assert found["lost"]["queue_us"] is found["lost"]["thread"] is None
    assert found["second"]["launched_by"] == "cudaGraphLaunch"
