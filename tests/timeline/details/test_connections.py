"""Links and arrows of slices, on a small trace with every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.timeline.details.arrows import MOST_ARROWS, arrows
from nbprof.timeline.details.links import links_of, neighbours
from nbprof.timeline.details.relatives import relatives
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices
from tests.analysis.generated import traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

HOST: list[dict[str, Any]] = [
    {"name": "step", "kind": "step", "start": 0, "end": 1000},
    {"name": "nn.Module: Linear_0", "kind": "module", "start": 10, "end": 300, "module_id": 0},
    {"name": "aten::linear", "start": 20, "end": 200, "sequence": 4, "forward_thread": 0},
    {"name": "aten::addmm", "start": 30, "end": 150, "sequence": 5, "forward_thread": 0},
    {"name": "cudaLaunchKernel", "kind": "runtime", "start": 40, "end": 60, "correlation": 1},
    {"name": "cudaLaunchKernel", "kind": "runtime", "start": 70, "end": 80, "correlation": 2},
    {"name": "aten::addmm", "start": 210, "end": 250},
    {"name": "eval", "tid": 2, "start": 400, "end": 500, "sequence": 5, "forward_thread": 1},
    {"name": "AddmmBackward", "tid": 2, "start": 410, "end": 490, "sequence": 5,
     "forward_thread": 1},
    {"name": "cudaLaunchKernel", "kind": "runtime", "tid": 2, "start": 420, "end": 430,
     "correlation": 3},
    {"name": "cudaGraphLaunch", "kind": "runtime", "start": 600, "end": 640, "correlation": 4},
]  # fmt: skip
DEVICE: list[dict[str, Any]] = [
    {"name": "gemm", "start": 100, "end": 180, "correlation": 1},
    {"name": "bias", "start": 180, "end": 190, "correlation": 2},
    {"name": "gemm", "start": 520, "end": 580, "correlation": 3},
    *({"name": f"node {i}", "start": 700 + i, "end": 701 + i, "correlation": 4} for i in range(40)),
    {"name": "stray", "start": 900, "end": 910},
]


@pytest.fixture(scope="module")
def model() -> TraceModel:
    return make_model(HOST, DEVICE)


def _id(model: TraceModel, name: str, start: int) -> int:
    slices = Slices.of(model)
    found = [
        i
        for i in np.flatnonzero(slices.start == start).tolist()
        if slices.names[slices.name[i]] == name
    ]
    assert len(found) == 1
    return int(found[0])


def _ways(model: TraceModel, name: str, start: int) -> dict[str, tuple[str, int]]:
    one = _id(model, name, start)
    found = links_of(model, one, relatives(model, one))
    assert len({way.kind for way in found}) == len(found)
    for way in found:
        assert way.target.row == lane_set(model).row[way.target.slice]
        assert way.target.end_ns == Slices.of(model).end[way.target.slice]
    return {way.kind: (way.label, way.target.start_ns) for way in found}


def test_from_a_kernel_to_what_launched_it(model: TraceModel) -> None:
    assert _ways(model, "gemm", 100) == {
        "operator": ("aten::addmm", 30),
        "launch": ("cudaLaunchKernel", 40),
        "backward": ("eval", 400),
        "next": ("0.001 ms", 520),
    }
    assert _ways(model, "gemm", 520) == {
        "operator": ("AddmmBackward", 410),
        "launch": ("cudaLaunchKernel", 420),
        "forward": ("aten::addmm", 30),
        "previous": ("0.000 ms", 100),
    }
    assert _ways(model, "node 7", 707) == {"launch": ("cudaGraphLaunch", 600)}
    assert _ways(model, "stray", 900) == {}


def test_from_an_operator_to_its_kernels_and_to_the_backward_pass(model: TraceModel) -> None:
    assert _ways(model, "aten::addmm", 30) == {
        "launch": ("cudaLaunchKernel, the first of 2", 40),
        "kernel": ("gemm, the first of 2", 100),
        "backward": ("eval", 400),
        "parent": ("aten::linear", 20),
        "next": ("0.000 ms", 210),
    }
    # One that launched nothing itself has what the operators inside it launched.
    assert _ways(model, "aten::linear", 20) == {
        "launch": ("cudaLaunchKernel, the first of 2", 40),
        "kernel": ("gemm, the first of 2", 100),
        "backward": ("eval", 400),
        "parent": ("nn.Module: Linear_0", 10),
    }
    assert _ways(model, "eval", 400)["forward"] == ("aten::addmm", 30)
    assert "backward" not in _ways(model, "aten::addmm", 210)


def test_from_a_call_to_its_operator_and_its_kernels(model: TraceModel) -> None:
    assert _ways(model, "cudaLaunchKernel", 70) == {
        "operator": ("aten::addmm", 30),
        "kernel": ("bias", 180),
        "backward": ("eval", 400),
        "parent": ("aten::addmm", 30),
        "previous": ("0.000 ms", 40),
        "next": ("0.000 ms", 420),
    }
    assert _ways(model, "cudaGraphLaunch", 600)["kernel"] == ("node 0, the first of 40", 700)


def _arrows(model: TraceModel, name: str, start: int) -> list[tuple[str, str, int, str, int]]:
    one = _id(model, name, start)
    lanes = lane_set(model)
    places = {}
    for lane in lanes.lanes:
        for depth in range(lane.depths):
            places[lane.first_row + depth] = f"{lane.label} {depth}"
    return [
        (a.kind, places[a.from_row], a.from_ns, places[a.to_row], a.to_ns)
        for a in arrows(model, one, relatives(model, one))
    ]


def test_arrows_go_from_operator_to_launch_to_kernel(model: TraceModel) -> None:
    assert _arrows(model, "gemm", 100) == [
        ("launch", "Thread 1 3", 40, "Thread 1 4", 40),
        ("enqueue", "Thread 1 4", 40, "Stream 7 0", 100),
    ]
    assert _arrows(model, "cudaLaunchKernel", 70) == [
        ("launch", "Thread 1 3", 70, "Thread 1 4", 70),
        ("enqueue", "Thread 1 4", 70, "Stream 7 0", 180),
    ]
    assert _arrows(model, "aten::addmm", 30) == [
        ("launch", "Thread 1 3", 40, "Thread 1 4", 40),
        ("launch", "Thread 1 3", 70, "Thread 1 4", 70),
        ("enqueue", "Thread 1 4", 40, "Stream 7 0", 100),
        ("enqueue", "Thread 1 4", 70, "Stream 7 0", 180),
        ("fwdbwd", "Thread 1 3", 30, "Thread 2 0", 400),
    ]
    assert ("fwdbwd", "Thread 1 3", 30, "Thread 2 1", 410) in _arrows(model, "AddmmBackward", 410)
    assert _arrows(model, "stray", 900) == []


def test_a_graph_has_no_more_arrows_than_one_can_see(model: TraceModel) -> None:
    found = _arrows(model, "cudaGraphLaunch", 600)
    assert len(found) == MOST_ARROWS
    assert {kind for kind, *_ in found} == {"enqueue"}


def test_arrows_of_the_trace_stand_in_for_correlation_ids() -> None:
    ends = {"id": 5, "category": "launch", "pid": 1}
    model = make_model(
        [{"name": "op", "start": 0, "end": 10}],
        [{"name": "kernel", "start": 20, "end": 30}],
        flows=[
            {**ends, "phase": "s", "time_ns": 0, "tid": 1},
            {**ends, "phase": "f", "time_ns": 20, "tid": 7},
        ],
    )
    assert _ways(model, "kernel", 20) == {"operator": ("op", 0)}
    assert _arrows(model, "kernel", 20) == [("enqueue", "Thread 1 0", 0, "Stream 7 0", 20)]
    assert _arrows(model, "op", 0) == [("enqueue", "Thread 1 0", 0, "Stream 7 0", 20)]


@given(traces(), st.data())
def test_every_way_leads_to_a_slice_on_a_lane(model: TraceModel, data: st.DataObject) -> None:
    slices, lanes = Slices.of(model), lane_set(model)
    if not len(slices):
        return
    one = data.draw(st.integers(0, len(slices) - 1))
    found = relatives(model, one)
    for way in links_of(model, one, found):
        target = way.target.slice
        assert way.target.row == lanes.row[target] >= 0
        if way.kind in ("previous", "next"):
            assert slices.names[slices.name[target]] == slices.names[slices.name[one]]
            later = (slices.start[target], target) > (slices.start[one], one)
            assert later == (way.kind == "next")
        elif way.kind == "kernel":
            assert target >= slices.host_rows
        else:
            assert target < slices.host_rows
    for arrow in arrows(model, one, found):
        assert 0 <= arrow.from_row < lanes.rows
        assert 0 <= arrow.to_row < lanes.rows


@given(traces())
def test_calls_of_one_name_follow_each_other(model: TraceModel) -> None:
    slices, lanes = Slices.of(model), lane_set(model)
    for one in range(len(slices)):
        same = [i for i in range(len(slices)) if slices.name[i] == slices.name[one]]
        same.sort(key=lambda i: (slices.start[i], i))
        place = same.index(one)
        expected = (
            same[place - 1] if place else -1,
            same[place + 1] if place + 1 < len(same) else -1,
            place + 1,
            len(same),
        )
        assert neighbours(slices, lanes, one) == expected
