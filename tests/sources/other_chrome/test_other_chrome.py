"""Chrome traces of other programs are read for what they are, in no words of PyTorch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from tests.sources.other_chrome import programs

if TYPE_CHECKING:
    from pathlib import Path

PYTORCH = re.compile(r"torch|prof\.step|schedule=|DataLoader|autograd|ProfilerStep", re.IGNORECASE)

EVERY = [programs.jax, programs.tpu, programs.onnx_runtime, programs.viztracer, programs.compiler]


def trace_of(path: Path, events: list[programs.Event], **options: Any) -> nbprof.Trace:
    return nbprof.load(programs.write(path, events, **options), progress=False).trace()


def columns(table: Any, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def test_jax(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "host.trace.json.gz", programs.jax())
    assert trace.file.format == "JAX or TensorFlow"
    assert trace.file.device_type == trace.metadata["device_type"] == "gpu"
    kernels = trace.kernels()
    assert columns(kernels, "name", "calls", "total_us") == [
        ("cutlass_gemm", 2, 120.0),
        ("loop_fusion", 2, 80.0),
    ]
    assert columns(trace.device_time(), "device", "computation_us", "memcpy_us") == [
        (0, 80.0, 14.0),
        (1, 120.0, 0.0),
    ]
    device = trace.model.tables["device"]
    assert set(columns(device, "name", "stream", "kind")) >= {
        ("loop_fusion", 16, "kernel"),
        ("MemcpyH2D", 17, "memcpy"),
        ("fusion.3", -6, "annotation"),
    }
    assert columns(trace.operators(), "name", "calls", "host_total_us") == [
        ("PjitFunction(step)", 2, 120.0)
    ]
    launches = trace.kernel_launches()
    fused = [row for row in launches.to_pylist() if row["name"] == "loop_fusion"]
    assert [(row["operator"], row["queue_us"]) for row in fused] == [
        ("PjitFunction(step)", 86.0)
    ] * 2
    assert [one["name"] for one in trace.model.tables["threads"].to_pylist()] == ["python"]
    kinds = set(columns(trace.model.tables["host"], "name", "kind"))
    assert {("$train.py:12 update", "python"), ("cuLaunchKernel", "runtime")} <= kinds
    step = trace.steps().to_pylist()[0]
    assert (step["start_us"], step["total_us"]) == (0.0, 1165.0)
    assert set(trace.warnings()["kind"].to_pylist()) == {
        "launch not in the trace",
        "launched before the recording",
    }


def test_metadata_may_come_last(tmp_path: Path) -> None:
    events = programs.jax()
    late = [one for one in events if one.get("ph") != "M"] + [
        one for one in events if one.get("ph") == "M"
    ]
    first, second = (
        trace_of(tmp_path / f"{number}.json", one) for number, one in enumerate([events, late])
    )
    assert first.kernels().equals(second.kernels())


def test_the_file_for_perfetto_holds_the_same_events(tmp_path: Path) -> None:
    folder = tmp_path / "plugins/profile/2026_01_01"
    for name in ("host.trace.json.gz", "perfetto_trace.json.gz"):
        programs.write(folder / name, programs.jax())
    profile = nbprof.load(tmp_path, progress=False)
    assert [file.path.name for file in profile.files] == ["host.trace.json.gz"]
    assert profile.skipped()["reason"].to_pylist() == [
        "contains the same span as host.trace.json.gz"
    ]
    alone = nbprof.load(folder / "perfetto_trace.json.gz", progress=False)
    assert alone.trace().kernels().num_rows == 2


def test_a_tpu_has_its_work_in_the_line_of_operations(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "host.trace.json", programs.tpu())
    assert trace.metadata["device_type"] == "tpu"
    assert columns(trace.kernels(), "name", "total_us") == [
        ("convolution.2", 50.0),
        ("fusion.1", 30.0),
    ]


def test_onnx_runtime(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "onnxruntime_profile.json", programs.onnx_runtime(), bare=True)
    assert trace.file.format == "Chrome trace"
    assert columns(trace.kernels(), "name", "total_us") == [("implicit_convolve_sgemm", 200.0)]
    assert trace.device_summary()["device"].to_pylist() == [0]
    assert trace.metadata["other_categories"] == {"Session": 1, "Node": 1}
    assert trace.model.tables["host"].num_rows == 2


def test_viztracer(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "result.json", programs.viztracer())
    assert trace.file.format == "Chrome trace"
    assert columns(trace.slices(), "name", "start_us", "duration_us") == [
        ("main (/a/b.py:3)", 0.0, 20.25),
        ("sum", 1.0, 4.0),
    ]


def test_begin_and_end_become_slices(tmp_path: Path) -> None:
    trace = trace_of(tmp_path / "chromium_events.json", programs.compiler(), bare=True)
    assert sorted(columns(trace.slices(), "name", "start_us", "duration_us")) == [
        ("backend_compile", 20.0, 60.0),
        ("entire_frame_compile", 0.0, 100.0),
        ("never ends", 120.0, 40.0),
        ("other thread", 30.0, 130.0),
    ]
    assert {row["kind"]: row["count"] for row in trace.warnings().to_pylist()} == {
        "slice without an end": 1,
        "end without a beginning": 1,
    }


@pytest.mark.parametrize("events", EVERY)
def test_no_words_of_another_framework(
    events: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = programs.write(tmp_path / "a.json", events())
    assert main(["info", str(path)]) == 0
    said = capsys.readouterr().out
    trace = nbprof.load(path, progress=False).trace()
    assert trace.file.format in said
    assert not PYTORCH.search(said)
    for rows in (trace.recommendations(), trace.warnings()):
        assert not PYTORCH.search(str(rows.to_pylist()))
    assert not any(trace.stage_summary()["host_total_us"].to_pylist()[1:-1])
    nbprof.show(path).to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"{trace.file.format} · Written by nbprof" in page
    assert f"span 1, {trace.file.format}" in nbprof.show(path).static().text
    shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    assert not PYTORCH.search(shown)


def test_a_part_is_a_filter_of_the_whole(tmp_path: Path) -> None:
    path = programs.write(tmp_path / "a.json", programs.jax())
    whole = nbprof.load(path, progress=False).trace()
    part = nbprof.load(path, time_us=(900.0, 2000.0), progress=False).trace()
    assert part.kernels()["calls"].to_pylist() == [1, 1]
    assert part.kernels().equals(whole.filter(time_us=(900.0, 2000.0)).kernels())


def test_host_slices_of_any_category_stay(tmp_path: Path) -> None:
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 100, "tid": 100,
            "ts": 1000, "dur": 1000, "args": {}}  # fmt: skip
    wait = {"ph": "X", "cat": "xpu_sync", "name": "zeEventHostSynchronize", "pid": -1, "tid": 100,
            "ts": 1100, "dur": 700, "args": {}}  # fmt: skip
    own = {"ph": "X", "cat": "my_own", "name": "mine", "pid": 100, "tid": 100, "ts": 1820, "dur": 9}
    path = tmp_path / "rank0.pt.trace.json"
    programs.write(path, [step, wait, own])
    trace = nbprof.load(path, progress=False).trace()
    assert trace.file.format == "PyTorch"
    assert trace.steps()["runtime_us"].to_pylist() == [700.0]
    assert trace.model.tables["threads"].num_rows == 1
    assert columns(trace.model.tables["host"], "name", "kind")[1:] == [
        ("zeEventHostSynchronize", "runtime"),
        ("mine", "annotation"),
    ]
    assert trace.metadata["other_categories"] == {"xpu_sync": 1, "my_own": 1}
    assert main(["info", str(path)]) == 0


def test_other_categories_are_counted_in_info(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = programs.write(tmp_path / "a.json", programs.viztracer())
    assert main(["info", str(path)]) == 0
    assert re.search(r"other categories\s+FEE: 2", capsys.readouterr().out)
