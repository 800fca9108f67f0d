"""NPU and Paddle profiles written as Chrome JSON: what is kept, and what cannot be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from tests.conftest import ROOT
from tests.sources.writing.round_trip import differences, problem, trace_of, written
from tests.support.models import make_model
from tests.support.npu import make_npu

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

#: What is narrowed to nothing is compared, too.
pytestmark = pytest.mark.filterwarnings("ignore::nbprof.FilterWarning")

SAMPLES = ROOT / "samples"
#: Tables of a model that a Chrome trace holds whole.
WHOLE = ("device", "flows", "counters")


def assert_same_events(ours: Trace, theirs: Trace, *host_apart: str) -> None:
    """Compare what a Chrome trace can hold; some columns of the host may differ."""
    for name in (*WHOLE, "host"):
        leave_out = host_apart if name == "host" else ()
        mine, other = ours.model.tables[name], theirs.model.tables[name]
        problem(name, differences(mine, other, leave_out))
    assert ours.metadata["device_type"] == theirs.metadata["device_type"]
    for name in ("launch", "operator"):
        links = (getattr(trace.model.links, name) for trace in (ours, theirs))
        assert np.array_equal(*links)


def test_every_kind_and_every_arrow_comes_back(tmp_path: Path) -> None:
    host: list[dict[str, Any]] = [
        {"name": "op", "start": 0, "end": 20},
        {"name": "op infer_meta", "kind": "phase", "start": 1, "end": 5},
        {"name": "launch", "kind": "runtime", "start": 6, "end": 9, "correlation": 3},
        {"name": "cuLaunchKernel", "kind": "runtime", "start": 10, "end": 11, "correlation": 4},
        {"name": "hipLaunchKernel", "kind": "runtime", "start": 12, "end": 13, "correlation": 5},
    ]
    device = [
        {"name": "k", "start": 20, "end": 30, "stream": 2, "correlation": 3},
        {"name": "part", "kind": "task", "start": 21, "end": 25, "stream": -3},
        {"name": "Free", "kind": "annotation", "start": 0, "end": 20, "stream": -4},
    ]
    # Arrows of different categories may have one id.
    flows = [
        {"id": 1, "category": category, "phase": phase, "pid": 1, "tid": tid, "time_ns": time}
        for time, phase, tid in ((0, "s", 1), (20, "f", 2))
        for category in ("launch", "operator", "queue", "fwdbwd")
    ]
    lane = {"side": "device", "place": 0, "stream": -3, "group": "HCCL", "name": "Plane 0"}
    trace = trace_of(make_npu(host, device, flows=flows, lanes=[lane]), tmp_path)
    again = written(trace, tmp_path)
    assert_same_events(trace, again)
    out = tmp_path / "again.json"
    trace.to_chrome_trace(out)
    events = json.loads(out.read_text())["traceEvents"]
    category = {event["name"]: event["cat"] for event in events if event["ph"] == "X"}
    assert category == {
        "op": "cpu_op",
        "op infer_meta": "operator_phase",
        "launch": "npu_runtime",
        "cuLaunchKernel": "cuda_driver",
        "hipLaunchKernel": "hip_runtime",
        "k": "kernel",
        "part": "device_task",
        "Free": "gpu_user_annotation",
    }
    said = [event["args"] for event in events if event["ph"] == "M"]
    assert {"name": "HCCL Plane 0"} in said
    assert {"labels": "NPU 0"} in said


def test_calls_have_the_category_of_their_api(tmp_path: Path) -> None:
    calls = ("cudaLaunchKernel", "cuLaunchKernel", "hipLaunchKernel")
    host = [{"name": name, "kind": "runtime", "start": 0, "end": 1} for name in calls]
    out = tmp_path / "out.json"
    trace_of(make_model(host), tmp_path).to_chrome_trace(out)
    events = json.loads(out.read_text())["traceEvents"]
    found = {event["name"]: event["cat"] for event in events if event["ph"] == "X"}
    assert found == dict(zip(calls, ("cuda_runtime", "cuda_driver", "hip_runtime"), strict=True))


def test_a_sample_of_an_npu(tmp_path: Path) -> None:
    trace = next(iter(nbprof.load(SAMPLES / "npu_convnet_synthetic", progress=False)))
    again = written(trace, tmp_path)
    assert_same_events(trace, again)
    for name in ("npu_kernels", "measured_operators", "communication"):
        assert trace.model.tables[name].num_rows
        assert not again.model.tables[name].num_rows  # as the documentation says
    lanes = [row for row in trace.model.tables["lanes"].to_pylist() if row["side"] == "device"]
    assert lanes
    assert again.model.tables["lanes"].to_pylist() == lanes
    part = trace.filter(steps=(13, 13))
    narrow = written(part, tmp_path).filter(steps=(13, 13))
    columns = ["name", "operator", "stream", "start_us", "duration_us"]
    ours, theirs = (t.kernels(group_by="launch").select(columns) for t in (part, narrow))
    assert ours.num_rows
    problem("kernels", differences(ours, theirs))


def test_a_sample_of_paddle(tmp_path: Path) -> None:
    for trace in nbprof.load(SAMPLES / "paddle_cpu_convnet", progress=False):
        again = written(trace, tmp_path)
        assert_same_events(trace, again, "name", "input_shapes", "input_types")
        assert again.steps().num_rows == trace.steps().num_rows > 0
        break


@pytest.mark.parametrize("name", ["ascend/msinsight_text_level1", "paddle/synthetic_gpu"])
def test_real_recordings(name: str, shared_data: Path, tmp_path: Path) -> None:
    trace = next(iter(nbprof.load(shared_data / name, progress=False)))
    again = written(trace, tmp_path)
    apart = ("name", "input_shapes", "input_types") if name.startswith("paddle") else ()
    assert_same_events(trace, again, *apart)


def test_a_part_keeps_arrows_by_id_and_category(tmp_path: Path) -> None:
    host = [
        {"name": "a", "start": 0, "end": 20},
        {"name": "b", "start": 30, "end": 40},
        {"name": "c", "start": 900, "end": 910},
        {"name": "d", "start": 990, "end": 999},
    ]
    flows = [
        {"id": 1, "category": category, "phase": phase, "pid": 1, "tid": 1, "time_ns": time}
        for category, times in (("queue", (0, 30)), ("operator", (900, 990)))
        for phase, time in zip("sf", times, strict=True)
    ]
    part = trace_of(make_model(host, flows=flows), tmp_path).filter(time_us=(0, 0.1))
    again = written(part, tmp_path)
    assert again.model.tables["flows"].column("category").to_pylist() == ["queue", "queue"]


def test_a_part_without_host_rows_tells_what_the_whole_recorded(tmp_path: Path) -> None:
    host = [
        {"name": "nn.Module: A_0", "kind": "module", "start": 0, "end": 100, "module_id": 1},
        {"name": "a", "start": 10, "end": 20, "sequence": 4},
    ]
    device = [{"name": "k", "start": 5_000, "end": 6_000}]
    part = trace_of(make_model(host, device), tmp_path).filter(time_us=(4, 7))
    again = written(part, tmp_path).filter(time_us=(4, 7))
    assert part.stage_summary().num_rows
    for name in ("stage_summary", "stages", "modules"):
        problem(name, differences(part.table(name), again.table(name)))


def test_a_part_without_launches_tells_that_the_whole_has_some(tmp_path: Path) -> None:
    host = [
        {"name": "a", "start": 0, "end": 50},
        {"name": "cudaLaunchKernel", "kind": "runtime", "start": 10, "end": 20, "correlation": 7},
        {"name": "b", "start": 5_000, "end": 5_500},
    ]
    device = [
        {"name": "k", "start": 30, "end": 60, "correlation": 7},
        {"name": "l", "start": 5_100, "end": 5_300},
    ]
    part = trace_of(make_model(host, device), tmp_path).filter(time_us=(4, 7))
    again = written(part, tmp_path).filter(time_us=(4, 7))
    assert part.stages()["device_us"].null_count == 0
    for name in ("stage_summary", "stages"):
        problem(name, differences(part.table(name), again.table(name)))
