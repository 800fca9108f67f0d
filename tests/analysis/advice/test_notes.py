"""What healthy recordings have, too, are notes; faults inside of a recording are warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.advice.recommendations import recommendations
from nbprof.analysis.advice.warnings import notes_of
from nbprof.analysis.advice.warnings import warnings as warnings_table
from nbprof.analysis.devices.device_summary import device_summary
from nbprof.cli import main
from nbprof.export.summary_tables import Summary
from nbprof.model.contract.table import term_of
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.widgets.hints.hints import hint, hints
from nbprof.widgets.hints.run_configuration import facts
from tests.support.models import make_model
from tests.support.summaries import summary_html, trace_text

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof import Trace
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def call(start: int, correlation: int, name: str = "cudaLaunchKernel", **more: Any) -> Row:
    row = {"name": name, "kind": "runtime", "start": start, "end": start + 2}
    return {**row, "correlation": correlation, **more}


def kernel(start: int, correlation: int = -1, **more: Any) -> Row:
    row = {"name": "gemm", "start": start, "end": start + 1000, "correlation": correlation}
    return {**row, **more}


def said(model: TraceModel) -> dict[str, tuple[str, int, str]]:
    rows = warnings_table(model).to_pylist()
    return {row["kind"]: (row["level"], row["count"], row["example"]) for row in rows}


def report(shared_data: Path, name: str) -> Trace:
    path = shared_data / "reports" / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    return nbprof.load(path, progress=False, cache=False).trace()


def test_work_queued_before_the_recording_is_a_note_and_lost_launches_inside_are_not() -> None:
    device = [kernel(0, 7), kernel(2000, 8), kernel(6000, 20), kernel(8000, 21)]
    model = make_model([call(1000, 20)], device)
    found = said(model)
    text = "2 kernels (2.0 µs) were launched before the recording began"
    assert found["launched before the recording"] == ("note", 2, text)
    text = "no runtime call launched gemm"
    assert found["launch not in the trace"] == ("warning", 1, text)


@pytest.mark.parametrize(
    ("start", "correlation", "kind"),
    [
        (3000, -1, "launched before the recording"),  # before any known launch ran
        (7000, 7, "launched before the recording"),  # ids increase from launch to launch
        (7000, 25, "launch not in the trace"),
        (7000, -1, "launch not in the trace"),
    ],
)
def test_a_stream_without_known_launches(start: int, correlation: int, kind: str) -> None:
    device = [kernel(6000, 20), kernel(start, correlation, stream=9)]
    assert set(said(make_model([call(1000, 20)], device))) == {kind}


def test_copies_and_memory_sets_are_called_so() -> None:
    device = [kernel(0, 7, kind="memcpy"), kernel(6000, 20)]
    text = said(make_model([call(1000, 20)], device))["launched before the recording"][2]
    assert text == "1 copy (1.0 µs) was launched before the recording began"
    device.append(kernel(1, 8, kind="memset", stream=9))
    text = said(make_model([call(1000, 20)], device))["launched before the recording"][2]
    assert text.startswith("2 kernels, copies and memory sets (2.0 µs) were ")


def test_without_any_runtime_call_it_is_said_once() -> None:
    found = said(make_model([], [kernel(0, 7), kernel(2000, 8)]))
    text = "No runtime calls were recorded, so what launched 2 kernels (2.0 µs) is unknown"
    assert found == {"no launches recorded": ("note", 2, text)}


def test_annotations_may_cross_and_operators_may_not() -> None:
    host = [
        {"name": "left open", "kind": "annotation", "start": 0, "end": 5000},
        {"name": "aten::mm", "start": 4000, "end": 6000},
    ]
    level, count, text = said(make_model(host))["overlapping ranges"]
    assert (level, count) == ("note", 1)
    assert text.startswith("1 annotation or runtime call (2.0 µs) began inside another one")
    host[0]["kind"] = "operator"
    found = said(make_model(host))
    assert set(found) == {"overlapping slices"}
    assert found["overlapping slices"][0] == "warning"


def test_lost_launches_are_counted_and_named() -> None:
    host = [call(1000 * at, at) for at in range(1, 11)]
    host[4]["name"] = "cuLaunchKernelEx"
    host.append(call(500, 60, "cudaMemsetAsync"))  # of 0 bytes, it runs nothing
    device = [kernel(20_000 + 1000 * at, at) for at in (1, 2, 3, 8)]
    model = make_model(host, device)
    text = "4 of 10 launches have no kernel in the trace, most often cudaLaunchKernel"
    # The two calls after the last one whose kernel is known may not have finished.
    assert said(model) == {"kernels not recorded": ("warning", 4, text)}
    assert LostLaunches.of(make_model(host[:3], device[:3])).lost == 0


@pytest.mark.parametrize("closed", [True, False])
def test_calls_during_a_capture_launch_nothing(closed: bool) -> None:
    """A thread of the backward pass captures, too."""
    host = [
        call(1000, 1),
        call(2000, 2, "cudaStreamBeginCapture"),
        call(3000, 3),
        call(3500, 4, tid=5),
        call(9000, 9),
    ]
    host += [call(4000, 5, "cudaStreamEndCapture")] if closed else []
    found = LostLaunches.of(make_model(host, [kernel(20_000, 1), kernel(21_000, 9)]))
    assert (found.launches, found.lost) == (2 if closed else 1, 0)
    host = [one for one in host if "Begin" not in one["name"]]
    found = LostLaunches.of(make_model(host, [kernel(20_000, 1), kernel(21_000, 9)]))
    assert (found.launches, found.lost) == ((1, 0) if closed else (4, 2))


def test_utilization_is_a_lower_bound_where_many_kernels_are_lost() -> None:
    step: Row = {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 50_000}
    calls = [call(1000 * at, at) for at in range(1, 11)]
    healthy = make_model([step, *calls], [kernel(2000 * at, at) for at in range(1, 11)])
    lossy = make_model([step, *calls], [kernel(2000 * at, at) for at in (1, 10)])
    assert term_of(device_summary(healthy), "utilization_pct") is None
    assert term_of(device_summary(lossy), "utilization_pct") == "utilization, at least"
    rules = [set(recommendations(one)["rule"].to_pylist()) for one in (healthy, lossy)]
    assert "low_utilization" in rules[0]
    assert not {"low_utilization", "idle"} & rules[1]


def test_notes_stand_apart_in_summaries_and_on_the_command_line(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = report(shared_data, "h200_small/launched_before_recording.json")
    note = "1 kernel (40 µs) was launched before the recording began"
    assert trace.warnings()["level"].to_pylist() == ["note"]
    assert notes_of(trace.warnings()) == [note]
    assert f"About this file: {note}." in Summary(trace).head()
    for text in (trace_text(trace), summary_html(Summary(trace))):
        assert f"About this file: {note}." in text
        assert "Repaired" not in text
    assert ("About this file", f"{note}.") in facts({}, trace.device_summary(), 1, notes=[note])
    main(["info", str(trace.path)])
    shown = capsys.readouterr().out
    assert note in shown
    assert "no runtime call" not in shown


def test_lost_kernels_are_said_to_be_lost(shared_data: Path) -> None:
    trace = report(shared_data, "lost_kernels")
    text = "2 launches were recorded, but none of their kernels"
    assert said(trace.model)["kernels not recorded"] == ("warning", 2, text)
    assert [hints(trace.model)[name] for name in ("device", "kernels")] == [f"{text}."] * 2
    assert Summary(trace).head()[-1].endswith("while reading: 2 (kernels not recorded)")


def test_steps_need_a_schedule_and_host_rows(shared_data: Path) -> None:
    model = report(shared_data, "no_schedule").model
    (advice,) = _advice(model)
    assert advice.startswith("Pass schedule= to the profiler and call prof.step()")
    assert "Pass schedule=" in hint(model, "steps")
    model = report(shared_data, "gpu_only_plain").model
    (advice,) = _advice(model)
    assert advice.startswith("Record CPU activity too")
    assert "Record CPU activity too" in hint(model, "steps")
    assert "prof.step()" not in hint(model, "steps")


def _advice(model: TraceModel) -> list[str]:
    rows = recommendations(model).to_pylist()
    return [row["advice"] for row in rows if row["rule"] == "steps_not_marked"]


@pytest.mark.parametrize(
    ("kind", "activity"),
    [("gpu", "CUDA"), ("xpu", "XPU"), ("mtia", "MTIA"), ("hpu", "HPU"), ("npu", "NPU")],
)
def test_hints_name_the_activity_of_the_device(kind: str, activity: str) -> None:
    found = hint(make_model(metadata={"format": "PyTorch", "device_type": kind}), "device")
    assert f"ProfilerActivity.{activity}]" in found
    assert activity == "CUDA" or "CUDA" not in found


@pytest.mark.parametrize("folder", ["h200", "kineto"])
def test_healthy_recordings_have_no_warnings(shared_data: Path, folder: str) -> None:
    if not (shared_data / folder).is_dir():
        pytest.skip(f"{folder} is not there")
    for name in ("resnet_before", "cudagraphs", "gpt_train", "mtia_inference", "mi300_qwen"):
        path = shared_data / folder / name
        if path.is_dir():
            trace = nbprof.load(path, progress=False).trace()
            assert set(trace.warnings()["level"].to_pylist()) == {"note"}, name
