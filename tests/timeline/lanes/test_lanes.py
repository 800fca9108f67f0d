"""Lanes: their number, order and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given

from nbprof.loading import load
from nbprof.model.names.roles import overhead_threads
from nbprof.model.trace.model import TraceModel
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices, by_row
from nbprof.timeline.timeline import Timeline
from tests.conftest import ROOT
from tests.support.models import make_model
from tests.timeline.generated import traces

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.timeline.lanes.lanes import LaneSet


def named(model: TraceModel, names: dict[int, tuple[str, str]]) -> TraceModel:
    """Give threads other processes and names, by tid."""
    threads = model.tables["threads"].to_pydict()
    for number, tid in enumerate(threads["tid"]):
        threads["pid"][number], threads["name"][number] = names[tid]
    table = pa.table(threads, schema=model.tables["threads"].schema)
    tables = {**model.tables, "threads": table}
    return TraceModel(tables, model.metadata, dialect=model.dialect)


def test_lanes_read_as_on_the_screen() -> None:
    host = [
        {"name": "f", "start": 0, "end": 9, "tid": 30, "forward_thread": 2},
        {"name": "g", "start": 3, "end": 4, "tid": 30},
        {"name": "h", "start": 5, "end": 6, "tid": 30},
        {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 9, "tid": 10},
        {"name": "a", "start": 1, "end": 2, "tid": 20},
        {"name": "a", "start": 1, "end": 2, "tid": -5},
        {"name": "z", "start": 1, "end": 2, "tid": 99},
    ]
    device = [
        {"name": "k", "start": 1, "end": 2, "stream": 20, "device": 1},
        {"name": "k", "start": 1, "end": 2, "stream": 7, "device": 1},
        {"name": "r", "kind": "annotation", "start": 1, "end": 5, "stream": 7, "device": 1},
        {"name": "r", "kind": "annotation", "start": 2, "end": 4, "stream": 7, "device": 1},
        {"name": "w", "kind": "sync", "start": 1, "end": 2, "stream": 7, "device": 1},
        {"name": "k", "start": 1, "end": 2, "stream": 7, "device": 0},
        {"name": "w", "kind": "sync", "start": 1, "end": 2, "stream": -1, "device": 0},
    ]
    model = named(
        make_model(host, device, devices=[{"device": 1, "name": "Tesla"}]),
        {
            10: ("10", "thread 10 (python3.11)"),
            20: ("10", "thread 20 (pt_data_worker)"),
            30: ("10", "thread 30 (python3.11)"),
            -5: ("10", "-5"),
            99: ("Servers", ""),
        },
    )
    lanes = lane_set(model)
    assert [(g.key, g.label, g.detail) for g in lanes.groups] == [
        # The device is not listed, and all that are listed are of one model.
        ("device:0", "GPU 0", "Tesla, 2 streams"),
        ("device:1", "GPU 1", "Tesla, 2 streams"),
        ("process:10", "python3.11 10", "CPU, 4 threads"),
        ("process:Servers", "Servers", "CPU, 1 thread"),
    ]
    assert [(x.key, x.label, x.detail, x.depths, x.slices) for x in lanes.lanes] == [
        ("gpu:0:7", "Stream 7", "", 1, 1),
        ("gpu:0:-1:sync", "No stream", "synchronization", 1, 1),
        ("gpu:1:7", "Stream 7", "", 1, 1),
        ("gpu:1:7:annotations", "Stream 7", "annotations", 2, 2),
        ("gpu:1:7:sync", "Stream 7", "synchronization", 1, 1),
        ("gpu:1:20", "Stream 20", "", 1, 1),
        ("cpu:10:10", "Thread 10", "main", 1, 1),
        ("cpu:10:30", "Thread 30", "autograd", 2, 3),
        ("cpu:10:20", "Thread 20", "pt_data_worker", 1, 1),
        ("cpu:10:-5", "Thread -5", "", 1, 1),
        ("cpu:Servers:99", "Thread 99", "", 1, 1),
    ]
    first, last = lanes.lanes[6], lanes.lanes[5]
    assert (first.kind, first.tid, first.device, first.stream) == ("thread", 10, None, None)
    assert (last.kind, last.tid, last.device, last.stream) == ("stream", None, 1, 20)


def test_threads_that_launch_device_work_come_before_others() -> None:
    host = [{"name": "busy", "start": i, "end": i + 1, "tid": 30} for i in range(5)] + [
        {"name": "op", "start": 0, "end": 9, "tid": 40},
        {"name": "launch", "kind": "runtime", "start": 1, "end": 2, "tid": 40, "correlation": 1},
        {"name": "step", "start": 0, "end": 1, "tid": 7},
        {"name": "op", "start": 0, "end": 9, "tid": 50},
        {"name": "launch", "kind": "runtime", "start": 1, "end": 2, "tid": 50, "correlation": 2},
    ]
    device = [{"name": "k", "start": 3, "end": 4, "correlation": c} for c in (1, 2)]
    program = {30: ("30", ""), 40: ("40", ""), 7: ("40", ""), 50: ("40", "")}
    lanes = lane_set(named(make_model(host, device), program)).lanes
    threads = ["cpu:40:40", "cpu:40:50", "cpu:40:7", "cpu:30:30"]
    assert [lane.key for lane in lanes] == ["gpu:0:7", *threads]


def test_the_python_frames_of_a_thread_are_in_a_folded_lane_above_it() -> None:
    host = [
        {"name": "main.py(1): main", "kind": "python", "start": 0, "end": 100},
        {"name": "nn.Module: Net_0", "kind": "module", "start": 5, "end": 90},
        {"name": "net.py(2): forward", "kind": "python", "start": 10, "end": 80},
        {"name": "aten::mm", "start": 20, "end": 30},
        {"name": "other", "start": 20, "end": 30, "tid": 2},
    ]
    model = make_model(host)
    lanes = lane_set(model)
    assert [(x.key, x.detail, x.depths, x.folded) for x in lanes.lanes] == [
        ("cpu:1:1:frames", "main, Python frames", 2, "Python frame"),
        ("cpu:1:1", "main", 2, ""),
        ("cpu:1:2", "", 1, ""),
    ]
    assert lanes.depth.tolist() == [0, 0, 1, 1, 0]
    # Modules are not folded away with the frames around them.
    assert [lane.folded for lane in lane_set(model, "module").lanes].count("Python frame") == 2


def test_a_trace_without_slices_has_no_lanes() -> None:
    lanes = lane_set(make_model())
    assert (lanes.groups, lanes.lanes, lanes.rows) == ((), (), 0)


def test_there_are_two_groupings() -> None:
    with pytest.raises(ValueError, match="thread or module, not by 'colour'"):
        Timeline.of(make_model(), "colour")


@given(traces())
def test_rows_are_sorted_by_time_whatever_the_order_of_the_tables(model: TraceModel) -> None:
    slices, lanes = Slices.of(model), lane_set(model)
    ids = by_row(slices, lanes.row).tolist()
    wanted = sorted(
        range(len(slices)), key=lambda i: (lanes.row[i], slices.start[i], slices.end[i])
    )
    keys = [
        [(lanes.row[i], slices.start[i], slices.end[i]) for i in some] for some in (ids, wanted)
    ]
    assert keys[0] == keys[1]
    assert sorted(ids) == sorted(wanted)


def test_of_slices_that_start_together_those_without_length_come_first() -> None:
    pairs = [(0, 10), (10, 20), (10, 10), (20, 30)]
    model = make_model(device=[{"name": "k", "start": a, "end": b} for a, b in pairs])
    lanes = lane_set(model)
    assert lanes.row.tolist() == [0, 0, 0, 0]
    assert by_row(Slices.of(model), lanes.row).tolist() == [0, 2, 1, 3]


SAMPLES = sorted((ROOT / "samples").rglob("*.pt.trace.json*"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_nothing_of_a_sample_is_missing(path: Path) -> None:
    model = load(str(path), progress=False).trace().model
    lanes = lane_set(model)
    slices = Slices.of(model)
    assert len(slices) == model.tables["host"].num_rows + model.tables["device"].num_rows
    assert sum(lane.slices for lane in lanes.lanes) == len(slices)
    assert lanes.row.min() == 0
    assert lanes.row.max() == lanes.rows - 1


def test_the_work_of_the_profiler_has_a_lane_of_its_own() -> None:
    host = [
        {"name": "a", "start": 0, "end": 90, "tid": 1},
        {"name": "Buffer Flush", "kind": "overhead", "start": 5, "end": 30, "tid": 1},
        {"name": "Buffer Flush", "kind": "overhead", "start": 10, "end": 50, "tid": 0},
        {"name": "Buffer Flush", "kind": "overhead", "start": 20, "end": 70, "tid": 0},
    ]
    model = named(make_model(host), {1: ("7", ""), 0: ("-1", "")})
    lanes = lane_set(model)
    assert [group.label for group in lanes.groups] == ["Process 7", "Profiler"]
    assert [lane.label for lane in lanes.lanes] == ["Thread 1", "Overhead"]
    assert overhead_threads(model).tolist() == [False, True]
    # On a thread that is known it lies with the others; those on unknown threads overlap.
    assert sorted(lanes.row.tolist()) == [0, 1, 2, 3]


def _streams_with(counts: dict[int, int], length: int = 1) -> LaneSet:
    """Return the lanes of one device whose streams have so many kernels of a length."""
    device = [
        {"name": "k", "start": 10 * at, "end": 10 * at + length, "device": 0, "stream": stream}
        for stream, count in counts.items()
        for at in range(count)
    ]
    return lane_set(make_model([{"name": "a", "start": 0, "end": 1}], device))


def test_streams_with_little_work_are_one_group() -> None:
    found = _streams_with({7: 300, 9: 2, 11: 3, 13: 3, 15: 200})
    groups = [group for group in found.groups if group.key.startswith("device")]
    assert [(g.key, g.label, g.detail, g.collapsed, g.as_lane) for g in groups] == [
        ("device:0", "GPU 0", "5 streams", False, False),
        ("device:0:quiet", "3 quiet streams", "2 to 3 slices each", True, True),
    ]
    streams = [(lane.group, lane.stream) for lane in found.lanes if lane.kind == "stream"]
    assert streams == [
        ("device:0", 7),
        ("device:0", 15),
        ("device:0:quiet", 9),
        ("device:0:quiet", 11),
        ("device:0:quiet", 13),
    ]


def test_few_streams_and_streams_of_equal_work_stay_lanes() -> None:
    for counts in ({7: 300, 9: 2, 11: 3, 13: 3}, dict.fromkeys(range(12), 5), {7: 300, 9: 1}):
        found = _streams_with(counts)
        assert not any(group.as_lane for group in found.groups)
    # Two of five are not worth a group, and neither are few slices of much time.
    assert not any(g.as_lane for g in _streams_with({1: 90, 2: 90, 3: 90, 4: 1, 5: 1}).groups)


def test_ranges_around_kernels_are_no_work_of_a_stream() -> None:
    starts = [*((7, 10 * at, 1) for at in range(300)), *((s, 500, 120) for s in (9, 11, 13, 15))]
    device = [
        {"name": "k", "start": start, "end": start + length, "device": 0, "stream": stream}
        for stream, start, length in starts
    ]
    around = {"name": "step", "kind": "annotation", "start": 0, "end": 9000}
    model = make_model(
        [{"name": "a", "start": 0, "end": 1}],
        [*device, {**around, "device": 0, "stream": 7}],
    )
    # Each has 120 of 780 ns of work, but of 9,780 with the range.
    assert not any(group.as_lane for group in lane_set(model).groups)
