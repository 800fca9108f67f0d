"""Lanes that a recorder names and groups itself: NPU lanes, and Python and C++ in Paddle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.loading import load
from nbprof.model.trace import kinds
from nbprof.timeline.curves.tracks import tracks
from nbprof.timeline.lanes.lane_sets import GROUPINGS, lane_set
from nbprof.timeline.search import find
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.timeline.slice_summary import slice_summary
from nbprof.timeline.slices import Slices
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.saved.parts import TIMELINE_BYTES
from nbprof.widgets.saved.timeline import timeline_parts
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from nbprof.widgets.views.timeline.choice import Choice
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.workers import WorkerPart
from tests.conftest import ROOT
from tests.support.models import make_model
from tests.support.npu import make_npu
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

NPU_SAMPLE = ROOT / "samples" / "npu_convnet_synthetic"

PYTHON = ("ProfileStep", "Forward", "Backward", "Dataloader", "Optimization", "PythonOp")
TYPES = (*PYTHON, "PythonUserDefined", "Operator", "OperatorInner", "UserDefined", "CudaRuntime")
KIND = {"Operator": "operator", "OperatorInner": "phase", "CudaRuntime": "runtime"}


def npu() -> TraceModel:
    """Two threads on lanes of two parts, a stream, a collective, planes and a bar."""
    host = [
        {"name": "op", "start": 0, "end": 90, "tid": 5},
        {"name": "launch", "kind": "runtime", "start": 5, "end": 9, "tid": 6, "correlation": 4},
    ]
    device = [
        {"name": "k", "start": 20, "end": 30, "stream": 2, "correlation": 4},
        {"name": "wait", "kind": "sync", "start": 20, "end": 30, "stream": 2},
        {"name": "hcom_allReduce__1", "start": 30, "end": 60, "stream": -2, "correlation": 4},
        {"name": "part", "kind": "task", "start": 30, "end": 35, "stream": -3},
        {"name": "part", "kind": "task", "start": 30, "end": 35, "stream": -4},
        {"name": "Computing", "kind": "annotation", "start": 20, "end": 30, "stream": -5},
        {"name": "Free", "kind": "annotation", "start": 0, "end": 20, "stream": -6},
    ]
    names = [
        ("host", 1, -1, "CANN", "Thread 6"),
        ("host", 0, -1, "Python", "Thread 5"),
        ("device", 0, 2, "Ascend Hardware", "Stream 2"),
        ("device", 0, -2, "HCCL", "Group 0 Communication"),
        ("device", 0, -3, "HCCL", "Plane 0"),
        ("device", 0, -4, "HCCL", "Plane 1"),
        ("device", 0, -6, "Overlap Analysis", "Free"),
        ("device", 0, -5, "Overlap Analysis", "Computing"),
        ("counter", 77, -1, "HBM", "HBM"),
    ]
    keys = ("side", "place", "stream", "group", "name")
    counters = [
        {"name": f"HBM {unit}/Read", "series": "Read(MB/s)", "pid": 77, "time_ns": 3, "value": 1.0}
        for unit in range(4)
    ]
    lanes = [dict(zip(keys, row, strict=True)) for row in names]
    return make_npu(host, device, lanes=lanes, counters=counters)


def said(model: TraceModel) -> list[tuple[str, str, bool]]:
    groups = layout([WorkerPart("", Timeline.of(model))])["groups"]
    return [(group["label"], group["detail"], group["collapsed"]) for group in groups]


def test_groups_are_the_recorders_in_its_order() -> None:
    assert said(npu()) == [
        ("Ascend Hardware", "NPU 0, 1 stream", False),
        ("HCCL", "NPU 0, 1 lane", False),
        ("HCCL planes", "NPU 0, 2 planes", True),
        ("Overlap Analysis", "NPU 0, 2 lanes", False),
        ("CANN, Python", "CPU, 2 threads", False),  # both are of one process here
        ("NPU 0", "1 curve", False),
        ("HBM", "4 curves", True),
    ]


def test_lanes_that_are_no_streams_go_by_their_names() -> None:
    model = npu()
    lanes = {lane.key: (lane.label, lane.detail) for lane in lane_set(model).lanes}
    assert lanes == {
        "cpu:1:6": ("Thread 6", ""),
        "cpu:1:5": ("Thread 5", ""),
        "gpu:0:2": ("Stream 2", ""),
        "gpu:0:2:sync": ("Stream 2", "synchronization"),
        "gpu:0:-2": ("Group 0 Communication", ""),
        "gpu:0:-3": ("Plane 0", ""),
        "gpu:0:-4": ("Plane 1", ""),
        "gpu:0:-6": ("Free", ""),
        "gpu:0:-5": ("Computing", ""),
    }
    category = [CATEGORIES[code] for code in Slices.of(model).category[2:]]
    wanted = ["communication", "computing", "free", "kernel", "sync", "task", "task"]
    assert sorted(category) == wanted


def test_nothing_waits_in_line_for_a_lane_that_is_no_stream() -> None:
    found = {track.key: track.label for track in tracks(npu())}
    assert [key for key in found if key.startswith("queue")] == ["queue:0:2"]
    assert found["counter:77:HBM 0/Read:Read(MB/s)"] == "HBM 0/Read (MB/s)"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(TYPES), st.integers(0, 40), st.integers(0, 20), st.integers(1, 2)
        ),
        max_size=14,
    ),
    st.sampled_from(GROUPINGS),
)
def test_python_and_c_plus_plus_lie_apart(rows: list[Any], group_by: str) -> None:
    host = [
        {"name": kind, "kind": KIND.get(kind, "annotation"), "event_type": kind, "start": start,
         "end": start + length, "tid": tid}
        for kind, start, length, tid in rows
    ]  # fmt: skip
    model = make_model(host)
    lanes, slices = lane_set(model, group_by), Slices.of(model)
    types = model.tables["host_types"].column("event_type").to_pylist()
    thread = model.column("host", "thread").tolist()
    tids = model.column("threads", "tid")
    for row, (kind, own) in enumerate(zip(types, thread, strict=True)):
        lane = lanes.lanes[lanes.lane[row]]
        assert lane.tid == tids[own]
        is_python = kind in PYTHON or kind == "PythonUserDefined"
        assert lane.key.endswith(":python") == is_python
        assert lane.detail.endswith("Python" if is_python else "C++")
    # No two slices of a row overlap.
    for one in range(len(slices)):
        for other in range(one):
            if lanes.row[one] == lanes.row[other]:
                low = max(slices.start[one], slices.start[other])
                assert low >= min(slices.end[one], slices.end[other])
    # Where slices nest, those of a lane stand as deep as slices of that lane are round them.
    if not lanes.moved:
        parent = model.nesting.parent
        for row in range(len(slices)):
            around, above = 0, int(parent[row])
            while above >= 0:
                around += int(lanes.lane[above] == lanes.lane[row])
                above = int(parent[above])
            assert lanes.depth[row] == around


def test_a_sample_of_an_npu() -> None:
    trace = next(iter(load(NPU_SAMPLE, progress=False)))
    assert [label for label, _, _ in said(trace.model)] == [
        "Ascend Hardware", "HCCL", "HCCL planes", "Overlap Analysis", "Python", "CANN", "NPU 0",
        "AI Core Freq", "NPU MEM",
    ]  # fmt: skip
    bands = layout([WorkerPart("", Timeline.of(trace.model))])["minimap"]["bands"]
    assert [band["label"] for band in bands] == ["Python", "CANN", "Ascend Hardware", "HCCL"]


def test_a_real_recording_of_an_npu(shared_data: Path) -> None:
    trace = next(iter(load(shared_data / "ascend" / "msinsight_text_level1", progress=False)))
    model = trace.model
    groups = said(model)
    assert [label for label, _, closed in groups if closed] == [
        "HCCL planes", "HBM", "LLC", "NPU MEM", "Acc PMU",
    ]  # fmt: skip
    lanes = lane_set(model)
    assert (lanes.row >= 0).all()
    labels = [lane.label for lane in lanes.lanes]
    assert not any(label.startswith("Stream -") or label == "No stream" for label in labels)
    # Every counter series of the recording has a curve.
    series = {
        (row["pid"], row["name"], row["series"]) for row in model.tables["counters"].to_pylist()
    }
    assert sum(track.key.startswith("counter:") for track in tracks(model)) == len(series) == 134
    bars = np.isin(Slices.of(model).category, [CATEGORIES.index("computing")])
    assert bars.sum() == 187
    is_task = model.column("device", "kind") == kinds.TASK
    assert (Slices.of(model).category[-len(is_task) :] == CATEGORIES.index("task")).sum() == 482


@pytest.mark.parametrize("name", ["run_cpu_v331", "run_cpu_v262", "synthetic_gpu"])
def test_real_recordings_of_paddle(name: str, shared_data: Path) -> None:
    for trace in load(shared_data / "paddle" / name, progress=False):
        lanes = lane_set(trace.model)
        main = [lane.detail for lane in lanes.lanes if lane.detail.startswith("main")]
        assert main == ["main, Python", "main, C++"]
        assert (lanes.row >= 0).all()
        summary = trace.slice_summary()
        assert summary.num_rows


@pytest.mark.parametrize("name", ["npu_convnet_synthetic", "paddle_cpu_convnet"])
def test_areas_searches_and_saved_states_of_samples(name: str) -> None:
    trace = next(iter(load(RUNS / name, progress=False)))
    model = trace.model
    lanes, slices = lane_set(model), Slices.of(model)
    for lane_index, lane in enumerate(lanes.lanes):
        own = np.flatnonzero(lanes.lane == lane_index)
        summary = slice_summary(model, lanes=[lane.key])
        assert sum(summary["count"].to_pylist()) == len(own) == lane.slices
        total = (slices.end[own] - slices.start[own]).sum() / 1000
        assert sum(summary["total_us"].to_pylist()) == pytest.approx(total)
    text = slices.names[0]
    wanted = np.array([text in one for one in slices.names])[slices.name]
    assert find(model, text).count == int((wanted & (lanes.row >= 0)).sum())
    state = State(trace.run, trace.worker, trace.span)
    parts = timeline_parts(Session(RUNS / name), state, Choice())
    assert 0 < sum(map(len, parts)) <= TIMELINE_BYTES
