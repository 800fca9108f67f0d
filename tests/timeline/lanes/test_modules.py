"""Lanes by module compared with the rules as plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.links.backward import forward_rows
from nbprof.model.links.module_tree import ModuleTree
from nbprof.model.trace import kinds
from nbprof.sources import discover, read
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.lanes.limits import MOST_GROUPS
from nbprof.timeline.lanes.modules import NO_MODULE
from nbprof.timeline.slices import Slices
from nbprof.widgets.hints.hints import hint
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet

Row = dict[str, Any]


def module(name: str, start: int, end: int, tid: int = 1) -> Row:
    return {"name": f"nn.Module: {name}", "kind": "module", "module_id": 1, "start": start,
            "end": end, "tid": tid}  # fmt: skip


def op(name: str, start: int, end: int, tid: int = 1, **more: Any) -> Row:
    return {"name": name, "start": start, "end": end, "tid": tid, **more}


def call(correlation: int, start: int, end: int, tid: int = 1) -> Row:
    return op("cudaLaunchKernel", start, end, tid, kind="runtime", correlation=correlation)


def kernel(correlation: int, start: int, end: int, **more: Any) -> Row:
    return {"name": "gemm", "start": start, "end": end, "correlation": correlation, **more}


def shown(model: TraceModel, lanes: LaneSet) -> dict[str, list[str]]:
    """Return the names of the slices of every lane, by its key."""
    slices = Slices.of(model)
    found: dict[str, list[str]] = {lane.key: [] for lane in lanes.lanes}
    for slice_id, lane in enumerate(lanes.lane.tolist()):
        found[lanes.lanes[lane].key].append(slices.names[slices.name[slice_id]])
    return found


def a_training_step() -> TraceModel:
    return make_model(
        [
            op("aten::randn", 0, 5),
            module("Net_0", 10, 60),
            op("forward", 11, 59, kind="python"),
            module("Linear_0", 12, 20),
            op("aten::linear", 13, 19, sequence=7, forward_thread=0),
            call(1, 14, 15),
            op("aten::relu", 22, 30, sequence=8, forward_thread=0),
            module("Linear_1", 35, 50),
            op("aten::linear", 36, 48, sequence=9, forward_thread=0),
            call(2, 37, 38),
            module("Net_0", 200, 210),
            module("Linear_0", 202, 208),
            op("AddmmBackward0", 70, 80, 2, sequence=9, forward_thread=1),
            call(3, 72, 73, 2),
            op("AccumulateGrad", 81, 82, 2),
            op("AddmmBackward0", 90, 99, 2, sequence=7, forward_thread=1),
            op("aten::mm", 91, 98, 2),
            call(4, 92, 93, 2),
        ],
        [
            kernel(1, 20, 30),
            kernel(2, 40, 50),
            kernel(3, 80, 85),
            kernel(4, 99, 105, stream=9),
            kernel(77, 300, 301),
            {"name": "forward", "kind": "annotation", "start": 15, "end": 60},
        ],
    )


def test_modules_are_a_tree_with_their_backward_pass_and_kernels() -> None:
    model = a_training_step()
    lanes = lane_set(model, "module")
    assert [(g.key, g.label, g.detail) for g in lanes.groups] == [
        ("module:Net_0", "Net_0", ""),
        ("module:Net_0/Linear_0", "Linear_0", "Net_0"),
        ("module:Net_0/Linear_1", "Linear_1", "Net_0"),
        ("module", NO_MODULE, ""),
    ]
    net, linear = "nn.Module: Net_0", "nn.Module: Linear_0"
    back = ["AddmmBackward0", "aten::mm", "cudaLaunchKernel"]
    assert shown(model, lanes) == {
        "module:Net_0:cpu:1:1:frames": ["forward"],
        "module:Net_0:cpu:1:1": [net, "aten::relu", net],
        "module:Net_0/Linear_0:cpu:1:1": [linear, "aten::linear", "cudaLaunchKernel", linear],
        "module:Net_0/Linear_0:cpu:1:2": back,
        "module:Net_0/Linear_0:gpu:0:7": ["gemm"],
        "module:Net_0/Linear_0:gpu:0:9": ["gemm"],
        "module:Net_0/Linear_1:cpu:1:1": [
            "nn.Module: Linear_1",
            "aten::linear",
            "cudaLaunchKernel",
        ],
        "module:Net_0/Linear_1:cpu:1:2": ["AddmmBackward0", "cudaLaunchKernel"],
        "module:Net_0/Linear_1:gpu:0:7": ["gemm", "gemm"],
        "module:cpu:1:1": ["aten::randn"],
        "module:cpu:1:2": ["AccumulateGrad"],
        "module:gpu:0:7": ["gemm"],
        "module:gpu:0:7:annotations": ["forward"],
    }  # fmt: skip
    first = next(lane for lane in lanes.lanes if lane.key == "module:Net_0:cpu:1:1")
    assert (first.kind, first.tid, first.label, first.depths) == ("module", 1, "Thread 1", 2)
    stream = next(lane for lane in lanes.lanes if lane.key == "module:Net_0/Linear_0:gpu:0:9")
    assert (stream.device, stream.stream, stream.label, stream.detail) == (
        0,
        9,
        "Stream 9",
        "GPU 0",
    )
    assert lanes.moved == 0


def test_the_same_name_round_other_modules_is_another_module() -> None:
    model = make_model(
        [
            module("A_0", 0, 10),
            module("Act_0", 1, 2),
            module("B_0", 20, 30),
            module("Act_0", 21, 22),
            module("A_0", 40, 50),
            module("Act_0", 41, 42),
        ]
    )
    keys = [group.key for group in lane_set(model, "module").groups]
    assert keys == ["module:A_0", "module:A_0/Act_0", "module:B_0", "module:B_0/Act_0"]


def test_keys_stay_apart_whatever_modules_are_called() -> None:
    names = ["a", "a/b", "a%2Fb", "a:cpu:1:1", "", "\u202e<b>", "a#1"]
    rows = [module(name, 10 * i, 10 * i + 8) for i, name in enumerate(names)]
    other = {**module("a/b", 100, 101), "module_id": 2}
    lanes = lane_set(make_model([*rows, module("b", 1, 2), other]), "module")
    assert len({group.key for group in lanes.groups}) == len(names) + 2
    assert len({lane.key for lane in lanes.lanes}) == len(names) + 2
    assert [group.label for group in lanes.groups] == ["a", "b", *names[1:], "a/b"]


def test_of_very_many_modules_the_deepest_are_shown_with_those_round_them() -> None:
    rows = [module("Net_0", 0, 100_000), op("aten::sum", 99_990, 99_991)]
    for i in range(800):
        rows += [module(f"Layer_{i}", 100 * i, 100 * i + 90)]
        rows += [module(f"Linear_{i}", 100 * i + 10, 100 * i + 50)]
        rows += [op("aten::mm", 100 * i + 20, 100 * i + 30)]
    model = make_model(rows)
    lanes = lane_set(model, "module")
    assert len(lanes.groups) == 801 < len(ModuleTree.of(model).name) == 1601
    assert [(g.label, g.detail) for g in lanes.groups[:3]] == [
        ("Net_0", ""),
        ("Layer_0", "Net_0, with 1 module inside"),
        ("Layer_1", "Net_0, with 1 module inside"),
    ]
    assert shown(model, lanes)["module:Net_0/Layer_7:cpu:1:1"] == [
        "nn.Module: Layer_7", "nn.Module: Linear_7", "aten::mm"
    ]  # fmt: skip
    assert sum(lane.slices for lane in lanes.lanes) == len(rows)
    flat = [module(f"M_{i}", 10 * i, 10 * i + 9) for i in range(MOST_GROUPS + 1)]
    merged = lane_set(make_model(flat), "module")
    assert len(merged.groups) == MOST_GROUPS
    assert merged.groups[-1].label == "2 more modules"
    assert sum(lane.slices for lane in merged.lanes) == len(flat)


def test_a_trace_without_modules_says_how_to_record_them() -> None:
    model = make_model([op("aten::mm", 0, 5)], [kernel(1, 2, 4)])
    lanes = lane_set(model, "module")
    assert [(g.label, g.detail) for g in lanes.groups] == [(NO_MODULE, hint(model, "modules"))]
    assert len(lanes.lanes) == len(lane_set(model).lanes) == 2


def test_an_empty_trace_has_no_lanes() -> None:
    lanes = lane_set(make_model(), "module")
    assert (lanes.lanes, lanes.groups, lanes.rows) == ((), (), 0)


@st.composite
def traces(draw: st.DrawFn) -> TraceModel:
    """Draw nested and overlapping rows of all kinds on two threads, and kernels."""
    rows: list[Row] = []
    for number in range(draw(st.integers(0, 16))):
        start = draw(st.integers(0, 30))
        tid = draw(st.integers(1, 2))
        end = start + draw(st.integers(0, 20))
        kind = draw(st.sampled_from(["module", "module", "operator", "runtime", "python"]))
        if kind == "module":
            rows.append(module(draw(st.sampled_from("ABC")), start, end, tid))
        elif kind == "runtime":
            rows.append(call(number + 1, start, end, tid))
        else:
            backward = draw(st.sampled_from([-1, 0, 1]))
            sequence = draw(st.integers(0, 2)) if kind == "operator" and backward >= 0 else -1
            more = {"sequence": sequence, "forward_thread": backward}
            rows.append(op("x", start, end, tid, kind=kind, **more))
    device = [
        kernel(correlation, start, start + 3, stream=draw(st.sampled_from([7, 9])))
        for correlation, start in draw(
            st.lists(st.tuples(st.integers(1, 17), st.integers(0, 50)), max_size=6)
        )
    ]
    return make_model(rows, device)


def path_of(model: TraceModel, row: int) -> tuple[str, ...]:
    """Return the names of the modules round a row and of itself if it is one, climbing up."""
    names: list[str] = []
    kind, name = model.column("host", "kind"), model.column("host", "name")
    while row >= 0:
        if kind[row] == kinds.MODULE:
            names.append(model.values("host", "name")[name[row]])
        row = int(model.nesting.parent[row])
    return tuple(reversed(names))


def expected_path(model: TraceModel, row: int) -> tuple[str, ...]:
    forward = int(forward_rows(model)[row])
    is_module = model.column("host", "kind")[row] == kinds.MODULE
    inherited = path_of(model, forward) if forward >= 0 and not is_module else ()
    return inherited or path_of(model, row)


@given(traces())
def test_every_slice_is_with_its_module(model: TraceModel) -> None:
    lanes, by_thread = lane_set(model, "module"), lane_set(model)
    modules = ModuleTree.of(model)
    full = modules.paths(modules.name, "\n")
    hosts = model.tables["host"].num_rows
    keys: dict[tuple[tuple[str, ...], int], int] = {}
    for slice_id, (lane, base) in enumerate(
        zip(lanes.lane.tolist(), by_thread.lane.tolist(), strict=True)
    ):
        if slice_id < hosts:
            path = expected_path(model, slice_id)
        else:
            launch = int(model.links.launch[slice_id - hosts])
            path = expected_path(model, launch) if launch >= 0 else ()
        found = lanes.lanes[lane]
        assert found.key.endswith(":" + by_thread.lanes[base].key)
        assert keys.setdefault((path, base), lane) == lane
        if path:
            assert "\n".join(path) in full
        else:
            assert found.group == "module"
    assert len(set(keys.values())) == len(keys) == len(lanes.lanes)
    assert_drawn_apart(model, lanes)
    assert_tree(lanes)


def assert_drawn_apart(model: TraceModel, lanes: LaneSet) -> None:
    """No two slices of a row overlap, and what is inside another of its lane is below it."""
    slices = Slices.of(model)
    ids = range(len(slices))
    for a in ids:
        for b in ids:
            if a < b and lanes.row[a] == lanes.row[b]:
                apart = slices.end[a] <= slices.start[b] or slices.end[b] <= slices.start[a]
                assert apart
    for row in range(slices.host_rows):
        above = int(model.nesting.parent[row])
        while above >= 0:
            if lanes.lane[above] == lanes.lane[row]:
                assert lanes.depth[above] < lanes.depth[row]
            above = int(model.nesting.parent[above])


def assert_tree(lanes: LaneSet) -> None:
    """Groups come as a tree is read, and lanes in the order of their groups."""
    keys = [group.key for group in lanes.groups]
    assert list(dict.fromkeys(lane.group for lane in lanes.lanes)) == keys
    for place, key in enumerate(keys):
        parent = key.rpartition("/")[0]
        if parent:
            assert parent in keys[:place]
            between = keys[keys.index(parent) + 1 : place]
            assert all(one.startswith(parent + "/") for one in between)
    if "module" in keys:
        assert keys[-1] == "module"


@pytest.mark.parametrize("name", ["kineto/b200_eager", "torchcpu/convnet_dl/logs"])
def test_recorded_modules(shared_data: Path, name: str) -> None:
    model = read(discover(shared_data / name).files[0], progress=False)
    lanes, by_thread = lane_set(model, "module"), lane_set(model)
    assert (lanes.lane >= 0).tolist() == (by_thread.lane >= 0).tolist()
    assert sum(lane.slices for lane in lanes.lanes) == len(Slices.of(model))
    if model.tables["device"].num_rows == 0:
        backward = forward_rows(model) >= 0
        assert backward.any()
        of_modules = [lanes.lanes[lane].group for lane in lanes.lane[: len(backward)][backward]]
        assert sum(group != "module" for group in of_modules) > 0.5 * len(of_modules)
