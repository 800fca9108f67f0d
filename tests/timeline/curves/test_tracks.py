"""The curves of the timeline compared with walks over events and with other tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.model.names.roles import named
from nbprof.timeline.curves.launch_queue import queue_length, queued_rows
from nbprof.timeline.curves.track import reduce
from nbprof.timeline.curves.tracks import tracks
from nbprof.timeline.curves.utilization import bucket_edges, recorded_window
from tests.analysis.generated import LENGTH, traces
from tests.oracle.traces import PLUGIN, open_oracle, open_trace
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.curves.tracks import Track


def _value(track: Track, time: float) -> float:
    """Return the value in force just after a time."""
    held = [
        v for t, v in zip(track.times.tolist(), track.values.tolist(), strict=True) if t <= time
    ]
    return held[-1] if held else 0.0


def _named(model: TraceModel, key: str) -> Track:
    (track,) = [track for track in tracks(model) if track.key == key]
    return track


@given(traces())
def test_sm_efficiency_and_queues_equal_a_walk(model: TraceModel) -> None:
    device = model.tables["device"].to_pylist()
    starts = model.tables["host"].column("start_ns").to_pylist()
    launch = model.links.launch.tolist()
    for track in tracks(model):
        assert np.all(np.diff(track.times) > 0)
        name, _, _ = track.key.partition(":")
        for time in range(LENGTH + 45):
            value = _value(track, time)
            if name == "sm_efficiency":
                running = sum(
                    row["blocks_per_sm"]
                    for row in device
                    if row["kind"] == "kernel"
                    and row["device"] == track.device
                    and row["blocks_per_sm"] > 0
                    and row["start_ns"] <= time < row["start_ns"] + row["duration_ns"]
                )
                assert value == pytest.approx(100 * min(running, 1), abs=1e-9)
            elif name == "queue":
                begins: dict[int, int] = {}
                for row, call in zip(device, launch, strict=True):
                    here = (row["device"], row["stream"]) == (track.device, track.stream)
                    if call >= 0 and here and row["kind"] in ("kernel", "memcpy", "memset"):
                        begins[call] = min(begins.get(call, LENGTH * 2), row["start_ns"])
                waiting = sum(starts[call] <= time < begin for call, begin in begins.items())
                assert value == waiting


@given(traces())
def test_utilization_is_the_busy_share_of_each_bucket(model: TraceModel) -> None:
    # Buckets are no shorter than a microsecond: a thousandfold trace has some.
    rows = [
        {
            **row,
            "start": row["start_ns"] * 1000,
            "end": (row["start_ns"] + row["duration_ns"]) * 1000,
        }
        for row in model.tables["device"].to_pylist()
    ]
    model = make_model((), rows)
    end = model.metadata["end_ns"] // 1000
    for track in tracks(model):
        if not track.key.startswith("utilization"):
            continue
        busy = np.zeros(end, bool)
        for row in rows:
            if row["kind"] == "kernel" and row["device"] == track.device:
                busy[row["start"] // 1000 : row["end"] // 1000] = True
        size = 1 if end <= 100 else 10
        for i in range(end // size):
            stop = (i + 1) * size if i < end // size - 1 else end
            share = 100 * busy[i * size : stop].mean()
            assert _value(track, i * size * 1000) == pytest.approx(share)
        assert track.values[-1] == 0


def test_buckets_are_the_smallest_power_of_ten_with_a_hundred_at_most() -> None:
    us = 1000
    assert len(bucket_edges(0, 100 * us)) == 101
    assert np.diff(bucket_edges(0, 101 * us)).tolist() == [10 * us] * 9 + [11 * us]
    assert bucket_edges(-5, 600).tolist() == [-5, 600]
    assert bucket_edges(0, 0).tolist() == [0, 0]


def test_a_short_window_has_finer_buckets() -> None:
    us = 1000
    kernels = [(0, 10 * us), (20 * us, 21 * us), (20_500, 23 * us), (90_000 * us, 90_001 * us)]
    model = make_model(
        [{"name": "a", "start": 0, "end": 1}],
        [{"name": "k", "start": start, "end": end} for start, end in kernels],
    )
    track = _named(model, "utilization:0")
    assert np.diff(track.times).tolist() == [1000 * us, 88_000 * us, 1001 * us]
    assert track.values[0] == pytest.approx(1.3)
    # 10 of 100 columns are 10 µs: none of the points of the whole recording is shown.
    found = reduce(track, 0, 100 * us, 100)
    assert found.time.tolist() == [0, 10 * us, 20 * us, 30 * us]
    assert found.first.tolist() == [100, 0, 30, 0]
    # The edges stay where they are when the window moves, and go down to a microsecond.
    assert reduce(track, 13 * us, 33 * us, 300).time.tolist() == [13 * us, 20 * us, 23 * us]
    assert reduce(track, 13 * us, 113 * us, 100).time.tolist() == [13 * us, 20 * us, 30 * us]
    # Behind the recording there is nothing; before it, no curve.
    assert reduce(track, 90_001 * us, 90_002 * us, 100).last.tolist() == [0]
    assert len(reduce(track, -20 * us, -10 * us, 100).time) == 0


def test_finer_buckets_equal_a_count() -> None:
    rng = np.random.default_rng(7)
    first = rng.integers(0, 300_000, 60)
    kernels = [
        (a, a + n) for a, n in zip(first.tolist(), rng.integers(0, 5000, 60).tolist(), strict=True)
    ]
    model = make_model(
        [{"name": "a", "start": 0, "end": 1}],
        [{"name": "k", "start": start, "end": end} for start, end in kernels],
    )
    runs = np.zeros(310_000, bool)
    for start, end in kernels:
        runs[start:end] = True
    share = _named(model, "utilization:0").finer
    assert share is not None
    finer = 0
    for _ in range(200):
        start, length = int(rng.integers(1, 300_000)), int(rng.integers(1, 30_000))
        found = share.in_window(start, start + length, int(rng.integers(1, 400)))
        if found is None:
            continue
        finer += 1
        times = found[0].tolist()
        for low, high, value in zip(times, times[1:], found[1].tolist(), strict=False):
            # One value holds for several buckets of equal shares.
            assert value == pytest.approx(100 * runs[low:high].mean())
    assert finer > 50


def test_memory_goes_by_the_allocators_own_count() -> None:
    def record(time: int, change: int, total: int, device: int) -> dict[str, int]:
        kind = 0 if device < 0 else 1
        return {
            "time_ns": time, "bytes": change, "total_allocated": total, "device": device,
            "device_type": kind, "thread": 0,
        }  # fmt: skip

    model = make_model(
        [{"name": "a", "start": 0, "end": 9}],
        [{"name": "k", "start": 1, "end": 2}],
        memory=[
            record(2, 100, 600, 0),
            record(2, 50, 650, 0),
            record(2, -50, 600, 0),
            record(3, 8, -1, -1),
            record(5, -100, 500, 0),
            record(6, -8, -1, -1),
        ],
    )
    gpu = _named(model, "allocated:gpu:0")
    assert gpu.times.tolist() == [0, 2, 2, 2, 5]
    assert gpu.values.tolist() == [500, 600, 650, 600, 500]
    assert (gpu.group, gpu.label, gpu.detail) == ("device:0:curves", "Allocated", "500 B to 650 B")
    assert (gpu.low, gpu.high) == (0, 650)
    cpu = _named(model, "allocated:cpu:-1")
    assert (cpu.times.tolist(), cpu.values.tolist()) == ([0, 3, 6], [0, 8, 0])
    assert (cpu.group, cpu.label, cpu.device) == ("process:1", "Allocated since the start", None)


def test_counters_of_the_recorder_are_curves() -> None:
    def sample(time: int, value: float | None, series: str, pid: int = 1) -> dict[str, Any]:
        row = {"name": "Power", "series": series, "pid": pid, "time_ns": time}
        return {**row, "value": value}

    samples = [sample(1, 3, "a"), sample(2, 3, "a"), sample(3, None, "a"), sample(4, 5.5, "a")]
    samples += [sample(1, 1, "Power"), sample(2, 7, "a", pid=0), sample(3, -7, "a", pid=99)]
    model = make_model(
        [{"name": "a", "start": 0, "end": 9}],
        [{"name": "k", "start": 1, "end": 2}],
        counters=samples,
    )
    found = {t.key: t for t in tracks(model) if t.key.startswith("counter")}
    one = found["counter:1:Power:a"]
    assert (one.times.tolist(), one.values.tolist()) == ([1, 4], [3.0, 5.5])
    assert (one.group, one.label, one.detail) == ("process:1", "Power, a", "3.00 to 5.50")
    assert found["counter:1:Power:Power"].label == "Power"
    assert (found["counter:0:Power:a"].group, found["counter:0:Power:a"].device) == (
        "device:0:curves",
        0,
    )
    other = found["counter:99:Power:a"]
    assert (other.group, other.low, other.high) == ("process:1", -7, 0)


def test_no_two_counters_have_one_key() -> None:
    def sample(name: str, series: str | None, time: int) -> dict[str, Any]:
        return {"name": name, "series": series, "pid": 1, "time_ns": time, "value": time}

    samples = [sample("a", "b:c", 1), sample("a:b", "c", 2), sample("a", None, 3)]
    found = tracks(make_model(counters=[*samples, sample("a", "", 4)]))
    assert {track.key: track.values.tolist() for track in found} == {
        "counter:1:a:b%3Ac": [1.0],
        "counter:1:a%3Ab:c": [2.0],
        "counter:1:a:": [3.0, 4.0],
    }


def test_a_trace_without_a_device_has_no_device_curves() -> None:
    assert tracks(make_model([{"name": "a", "start": 0, "end": 9}])) == ()
    assert tracks(make_model()) == ()


def test_curves_of_one_group_follow_each_other_processes_first() -> None:
    kernel = {"name": "k", "start": 1, "end": 2, "correlation": 1, "blocks_per_sm": 0.5}
    call = {"name": "l", "kind": "runtime", "start": 0, "end": 1, "correlation": 1}
    record = {"time_ns": 1, "bytes": 1, "total_allocated": 1, "device": -1, "device_type": 0}
    model = make_model([call], [kernel, {**kernel, "device": 1}], memory=[{**record, "thread": 0}])
    assert [track.key for track in tracks(model)] == [
        "allocated:cpu:-1",
        "utilization:0",
        "sm_efficiency:0",
        "queue:0:7",
        "utilization:1",
        "sm_efficiency:1",
        "queue:1:7",
    ]


GPU_TRACES = [name for name in PLUGIN if not name.startswith("torchcpu")]


@pytest.mark.parametrize("name", GPU_TRACES)
def test_utilization_equals_the_counters_of_the_plugin(
    name: str, shared_oracle: Path, shared_data: Path
) -> None:
    """Of its counters the first four are on record: a 1, a 0 to fix the scale, two buckets."""
    oracle = open_oracle("kineto_plugin", name, shared_oracle, shared_data)
    head = [json.loads(text) for text in oracle.figures["trace_counters"]["head"]]
    assert [one["args"]["GPU Utilization"] for one in head[:2]] == [1, 0]
    track = _named(oracle.model, f"utilization:{head[0]['pid']}")
    start, _ = oracle.model.metadata.get("recorded_ns", (0, 0))
    assert track.times[0] == start
    for one in head[2:]:
        time = start + round((one["ts"] - head[0]["ts"]) * 1000)
        value = _value(track, time + 500)  # times of the plugin are rounded to its floats
        exact = 1e-3 if oracle.step_us else 1e-6
        assert value == pytest.approx(100 * one["args"]["GPU Utilization"], abs=exact)


@pytest.mark.parametrize("name", GPU_TRACES)
def test_efficiency_adds_up_to_that_of_the_device(name: str, shared_data: Path) -> None:
    model = open_trace(shared_data / PLUGIN[name])
    steps = model.steps
    start, end = int(steps.start_ns[0]), int(steps.end_ns[steps.complete][-1])
    for row in device_summary(model).to_pylist():
        found = [t for t in tracks(model) if t.key == f"sm_efficiency:{row['device']}"]
        if row["sm_efficiency_pct"] is None:
            assert found == []
            continue
        edges = np.append(found[0].times, end).clip(start, end)
        mean = (np.diff(edges) @ found[0].values) / (end - start)
        assert mean == pytest.approx(row["sm_efficiency_pct"], rel=1e-9)


HTA_TRACES = {
    "hta_amd_mi250": "kineto/mi250_minitoy",
    "hta_nccl_parser_config": "kineto/a100_nccl",
    "hta_ns_resolution": "kineto/v100_ns_resolution",
    "hta_trace_diff_control": "kineto/diff_control",
    "hta_trace_diff_test": "kineto/diff_test",
}


@pytest.mark.parametrize("name", HTA_TRACES)
def test_queues_are_as_long_as_those_of_hta(
    name: str, shared_oracle: Path, shared_data: Path
) -> None:
    """HTA leaves the last step and graphs out, and counts each launch and start as a point."""
    text = (shared_oracle / "hta" / f"{name}.json").read_text("utf-8")
    model = open_trace(shared_data / HTA_TRACES[name])
    rows = queued_rows(model)
    start = model.column("host", "start_ns")
    graph = named(model, "host", lambda call: call == "cudaGraphLaunch")
    rows = rows[~graph[model.links.launch[rows]]]
    if len(model.steps.host_start_ns) > 1:
        rows = rows[start[model.links.launch[rows]] < model.steps.host_start_ns[-1]]
    compared = 0
    for said in json.loads(text)["tables"]["queue_length_summary"]:
        here = rows[model.column("device", "stream")[rows] == said["stream"]]
        _, values = queue_length(model, here)
        assert 2 * len(here) == said["queue_length_count"]
        assert values.max() == said["queue_length_max"]
        compared += 1
    assert compared


def test_buckets_start_where_the_recorder_does(shared_data: Path) -> None:
    model = open_trace(shared_data / "kineto" / "resnet50_num_workers_0")
    assert recorded_window(model) == (-56_000, 1_065_667_000)
