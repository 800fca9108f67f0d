"""The samples are small, anonymous and varied; the simulated GPU run is possible."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import nbprof
from tests.samples.synthetic import write_profiles
from tests.support.recordings.runs import RUNS

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
GPU_RUN, CPU_RUN = "gpu_resnet_synthetic", "torch_cpu_convnet"
GPU_FILES = sorted((ROOT / "tests/samples" / GPU_RUN).iterdir())
RECORDED = sorted(SAMPLES.glob("gpu_*/**/*.gz"))
CPU_FILES = sorted((SAMPLES / CPU_RUN).iterdir())

Event = dict[str, Any]


def read_text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def read_events(path: Path) -> list[Event]:
    """Return the events, times in whole nanoseconds."""
    events = json.loads(read_text(path))["traceEvents"]
    for event in events:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = round(event[key] * 1000)
        event["end"] = event.get("ts", 0) + event.get("dur", 0)
    return events


@pytest.fixture(scope="module", params=GPU_FILES, ids=lambda path: path.name.split(".")[0])
def gpu_events(request: pytest.FixtureRequest) -> list[Event]:
    return read_events(request.param)


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS, progress=False)


def of(events: list[Event], *categories: str) -> list[Event]:
    return [event for event in events if event.get("cat") in categories]


# what is shipped


def test_size() -> None:
    sizes = {path: path.stat().st_size for path in SAMPLES.rglob("*") if "cache" not in str(path)}
    assert sum(sizes.values()) <= 6e6


@pytest.mark.parametrize("path", GPU_FILES + CPU_FILES + RECORDED, ids=lambda path: path.name)
def test_no_trace_of_the_machine(path: Path) -> None:
    text = read_text(path)
    assert "host_name" not in text
    folders = re.findall(r'(?:^|[\s"(])((?:/|[A-Za-z]:\\\\)[\w.-]+(?:/|\\\\)[^"]*)', text)
    assert folders == []
    assert re.findall(r"[\w.-]+@[\w-]+\.\w+", text) == []
    assert path.read_bytes()[4:8] == bytes(4), "the gzip header holds a date"
    frames = [event["name"] for event in of(read_events(path), "python_function")]
    outside = [name for name in frames if re.match(r"\.\.|~|.*(site-packages|/home|/root)", name)]
    assert outside == []


def test_the_generator_writes_the_same_again(tmp_path: Path) -> None:
    made = sorted(write_profiles(tmp_path))
    assert [path.name for path in made] == [path.name for path in GPU_FILES]
    for new, shipped in zip(made, GPU_FILES, strict=True):
        assert read_text(new) == read_text(shipped)


def test_synthetic_files_say_so() -> None:
    assert "synthetic" in GPU_RUN
    for path in GPU_FILES:
        header = json.loads(read_text(path))
        assert "nothing in this file was measured" in header["synthetic"]
        assert all(gpu["name"].startswith("Synthetic ") for gpu in header["deviceProperties"])


# whether the synthetic run could have happened


def test_slices_of_a_thread_nest(gpu_events: list[Event]) -> None:
    lanes = defaultdict(list)
    host = ("cpu_op", "user_annotation", "python_function", "cuda_runtime")
    for event in of(gpu_events, *host, "gpu_user_annotation"):
        lanes[event["pid"], event["tid"]].append(event)
    assert len(lanes) >= 4
    for lane in lanes.values():
        open_until: list[int] = []
        for event in sorted(lane, key=lambda one: (one["ts"], -one["end"])):
            while open_until and open_until[-1] <= event["ts"]:
                open_until.pop()
            assert not open_until or event["end"] <= open_until[-1], event
            assert event["dur"] >= 0
            open_until.append(event["end"])


def test_python_frames_lie_within_their_parents(gpu_events: list[Event]) -> None:
    frames = {event["args"]["Python id"]: event for event in of(gpu_events, "python_function")}
    roots = 0
    for frame in frames.values():
        parent = frames.get(frame["args"]["Python parent id"])
        roots += parent is None
        if parent is not None:
            assert parent["ts"] <= frame["ts"]
            assert frame["end"] <= parent["end"]
            assert parent["tid"] == frame["tid"]
    assert roots == 2


def test_a_stream_does_one_thing_at_a_time(gpu_events: list[Event]) -> None:
    streams = defaultdict(list)
    for event in of(gpu_events, "kernel", "gpu_memcpy", "gpu_memset"):
        streams[event["tid"]].append(event)
        assert event["args"]["stream"] == event["tid"]
        assert event["args"]["device"] == event["pid"]
    assert len(streams) == 2
    for stream in streams.values():
        stream.sort(key=lambda one: one["ts"])
        for before, after in itertools.pairwise(stream):
            assert before["end"] <= after["ts"]


def test_device_work_follows_its_launch(gpu_events: list[Event]) -> None:
    calls = {event["args"]["correlation"]: event for event in of(gpu_events, "cuda_runtime")}
    operators = {event["args"]["External id"]: event for event in of(gpu_events, "cpu_op")}
    launched = of(gpu_events, "kernel", "gpu_memcpy", "gpu_memset")
    for event in launched:
        call = calls[event["args"]["correlation"]]
        assert event["ts"] > call["ts"]
        operator = operators[call["args"]["External id"]]
        assert event["args"]["External id"] == call["args"]["External id"]
        assert operator["tid"] == call["tid"]
        assert operator["ts"] <= call["ts"]
        assert call["end"] <= operator["end"]
    assert len({event["args"]["correlation"] for event in launched}) == len(launched)


def test_waiting_calls_wait(gpu_events: list[Event]) -> None:
    work = of(gpu_events, "kernel", "gpu_memcpy", "gpu_memset")
    calls = {event["args"]["correlation"]: event for event in of(gpu_events, "cuda_runtime")}
    waits = [call for call in calls.values() if call["name"].endswith("Synchronize")]
    assert len(waits) == 7  # one a step, one at the end
    for wait in waits:
        before = [one for one in work if calls[one["args"]["correlation"]]["ts"] < wait["ts"]]
        assert max(one["end"] for one in before) <= wait["end"]


def test_arrows_join_what_they_should(gpu_events: list[Event]) -> None:
    ends: dict[tuple[str, int], dict[str, Event]] = defaultdict(dict)
    for event in of(gpu_events, "ac2g", "fwdbwd"):
        ends[event["cat"], event["id"]][event["ph"]] = event
    starts = {
        (event["pid"], event["tid"], event["ts"])
        for event in of(gpu_events, "cpu_op", "cuda_runtime", "kernel", "gpu_memcpy", "gpu_memset")
    }
    for pair in ends.values():
        assert set(pair) == {"s", "f"}
        assert pair["s"]["ts"] < pair["f"]["ts"]
        for event in pair.values():
            assert (event["pid"], event["tid"], event["ts"]) in starts


def test_backward_follows_forward(gpu_events: list[Event]) -> None:
    sides: dict[int, dict[int, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in of(gpu_events, "cpu_op"):
        if "Sequence number" in event["args"]:
            args = event["args"]
            sides[args["Sequence number"]][args["Fwd thread id"]].append(event)
    assert len(sides) > 300
    for forward_and_backward in sides.values():
        forward, backward = forward_and_backward[0], forward_and_backward[1]
        assert max(one["end"] for one in forward) < min(one["ts"] for one in backward)
        assert {one["tid"] for one in forward}.isdisjoint(one["tid"] for one in backward)


def test_steps_cover_the_work(gpu_events: list[Event]) -> None:
    steps = [
        event
        for event in of(gpu_events, "user_annotation")
        if event["name"].startswith("ProfilerStep#")
    ]
    assert [step["name"] for step in steps] == [f"ProfilerStep#{number}" for number in range(2, 8)]
    for call in of(gpu_events, "cuda_runtime")[:-1]:
        assert any(step["ts"] <= call["ts"] and call["end"] <= step["end"] for step in steps)


def test_memory_grows_and_shrinks(gpu_events: list[Event]) -> None:
    records = [event for event in gpu_events if event["name"] == "[memory]"]
    on_host = [record["args"] for record in records if record["args"]["Device Type"] == 0]
    # Of each batch one allocation and one release: there is always one, and two for a moment.
    assert len(on_host) == 2 * 6
    assert sum(args["Bytes"] for args in on_host) == 0
    records = [record for record in records if record["args"]["Device Type"] == 1]
    records.sort(key=lambda one: one["ts"])
    live: dict[int, int] = {}
    total = records[0]["args"]["Total Allocated"] - records[0]["args"]["Bytes"]
    for record in records:
        args = record["args"]
        total += args["Bytes"]
        assert args["Total Allocated"] == total
        assert 0 <= total <= args["Total Reserved"]
        if args["Bytes"] > 0:
            assert args["Addr"] not in live
            live[args["Addr"]] = args["Bytes"]
        elif args["Addr"] in live:
            assert live.pop(args["Addr"]) == -args["Bytes"]
    peak = max(record["args"]["Total Allocated"] for record in records)
    assert peak > 5 * records[-1]["args"]["Total Allocated"]


def test_occupancy_is_possible(gpu_events: list[Event]) -> None:
    for kernel in of(gpu_events, "kernel"):
        args = kernel["args"]
        blocks = args["grid"][0] * args["grid"][1] * args["grid"][2]
        threads = args["block"][0] * args["block"][1] * args["block"][2]
        assert threads <= 1024
        assert args["registers per thread"] <= 255
        assert args["shared memory"] <= 166912
        assert args["blocks per SM"] == pytest.approx(blocks / 108, abs=1e-6)
        assert 0 <= args["est. achieved occupancy %"] <= 100


def test_ranks_meet_in_collectives() -> None:
    ranks = [
        [event for event in of(read_events(path), "kernel") if "nccl" in event["name"]]
        for path in GPU_FILES
    ]
    fast, slow = ranks
    assert len(fast) == len(slow) == 24
    for one, other in zip(fast, slow, strict=True):
        assert one["name"] == other["name"]
        assert one["args"]["In msg nelems"] == other["args"]["In msg nelems"]
        assert abs(one["end"] - other["end"]) < 1000
        assert max(one["ts"], other["ts"]) < min(one["end"], other["end"])
    assert sum(one["dur"] for one in fast) > 1.5 * sum(one["dur"] for one in slow)


# whether everything is there


@pytest.mark.parametrize("path", GPU_FILES + CPU_FILES, ids=lambda path: path.name)
def test_every_option_left_its_mark(path: Path) -> None:
    header = json.loads(read_text(path))
    events = header["traceEvents"]
    counts = Counter(event.get("cat") for event in events)
    for option in ("record_shapes", "profile_memory", "with_stack", "with_modules"):
        assert header[option] == 1
    assert header["distributedInfo"]["world_size"] == 2
    assert counts["python_function"] > 1000
    assert counts["fwdbwd"] > 50
    names = Counter(event["name"] for event in events)
    assert names["[memory]"] > 100
    assert any(name.startswith("nn.Module: Conv2d_") for name in names)
    assert any(name.startswith("enumerate(DataLoader)#") for name in names)
    assert any(name.startswith("Optimizer.step#SGD") for name in names)
    assert {"forward", "loss", "backward", "optimizer"} <= set(names)
    assert any(event.get("args", {}).get("Input Dims") for event in events)


# what nbprof makes of them


@pytest.mark.parametrize("worker", ["worker0", "worker1"])
def test_gpu_views_have_content(profile: nbprof.Profile, worker: str) -> None:
    trace = profile.trace(GPU_RUN, worker)
    steps = trace.steps().to_pylist()
    assert [row["step"] for row in steps] == list(range(2, 8))
    assert all(row["complete"] for row in steps)
    for column in ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader"):
        assert all(row[f"{column}_us"] > 0 for row in steps), column
    kernels = trace.kernels()
    assert kernels.num_rows > 30
    assert any(trace.kernels(group_by="properties").column("operator").to_pylist())
    operators = {row["name"]: row for row in trace.operators().to_pylist()}
    assert operators["aten::cudnn_convolution"]["device_self_us"] > 10_000
    assert operators["aten::mm"]["tensor_core_eligible"]
    (device,) = trace.device_summary().to_pylist()
    assert device["name"] == "Synthetic A100-SXM4-80GB"
    assert 20 < device["tensor_core_pct"] < 80
    assert 50 < device["utilization_pct"] < 99
    (times,) = trace.device_time().to_pylist()
    assert times["exposed_communication_us"] > 0
    assert 0 < times["overlap_pct"] < 100
    labels = set(trace.user_events().column("name").to_pylist())
    assert {"forward", "loss", "backward", "optimizer", "data to device"} <= labels


def test_recommendations_fire(profile: nbprof.Profile) -> None:
    rules = set(profile.trace(GPU_RUN, "worker0").recommendations().column("rule").to_pylist())
    assert len(rules) >= 3, rules


def test_the_faster_worker_waits_for_the_slower(profile: nbprof.Profile) -> None:
    exposed = {
        row["worker"]: row["exposed_communication_us"]
        for row in profile.device_time(GPU_RUN).to_pylist()
    }
    assert exposed["worker0"] > 2 * exposed["worker1"]


@pytest.mark.parametrize("span", [1, 2])
def test_cpu_views_have_content(profile: nbprof.Profile, span: int) -> None:
    trace = profile.trace(CPU_RUN, "worker1", span)
    assert trace.steps().num_rows == 3
    assert trace.operators(group_by="name+shape").num_rows > 50
    assert any(trace.operators(group_by="name+stack").column("call_stack").to_pylist())
    assert trace.kernels().num_rows == 0
    assert all(row["communication_us"] > 0 for row in trace.steps().to_pylist())
