"""Discovery of runs, workers and spans of Paddle, and the kinds of its event types."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import fsspec
import pytest

import nbprof
from nbprof.sources import discover
from nbprof.sources.discovery.naming import rank_in_name
from nbprof.sources.paddle.event_types import host_kind, is_mlu_call, name_of
from nbprof.sources.paddle.probing import is_protobuf
from nbprof.sources.paddle.texts import PaddleStacks, Places, plain_names
from nbprof.sources.recorders import parse_name
from tests.sources.cache import cached
from tests.support.recordings.paddle.json import to_json
from tests.support.recordings.paddle.protobuf import to_protobuf
from tests.support.recordings.paddle.runs import Call, Node, Recording, generate, root
from tests.support.recordings.paddle.same import assert_same
from tests.support.traces import read_trace, table_rows, warning_counts

if TYPE_CHECKING:
    from pathlib import Path


def put(folder: Path, name: str, recording: Recording, **options: Any) -> Path:
    """Write a recording in the form that the name's ending says."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.paddle_trace.{options.pop('form', 'json')}"
    if path.suffix == ".pb":
        path.write_bytes(to_protobuf(recording))
    else:
        path.write_text(to_json(recording, **options))
    return path


def spans(folder: Path) -> list[tuple[str, str, int, str]]:
    """Return run, worker, span and file of every trace."""
    return [(one.run, one.worker, one.span, one.path.name) for one in discover(folder).files]


@pytest.mark.parametrize(
    ("name", "worker"),
    [
        ("worker0_time_2026_11_21_09_38_07_217399.paddle_trace.json", "worker0"),
        ("a_time_b_time_2026_01_01_00_00_00_000000.paddle_trace.pb", "a_time_b"),
        ("host_gpu-7pid_12_time_x.paddle_trace.json.gz", "host_gpu-7pid_12"),
        ("pid_77_time_2022-03-01-12:00:00.paddle_trace.json", "pid_77"),
        ("whatever.paddle_trace.pb", "whatever"),
    ],
)
def test_workers_reach_up_to_the_last_time(name: str, worker: str) -> None:
    found = parse_name(name)
    assert found is not None
    assert (found.worker, found.expected) == (worker, True)


def test_process_ids_are_no_ranks() -> None:
    assert rank_in_name("host_apid_12") is None
    assert rank_in_name("worker3") == 3
    assert rank_in_name("node_3") == 3


def test_spans_are_numbered_by_what_stands_in_the_files(tmp_path: Path) -> None:
    for at, (span, key) in enumerate([(12, "span_index"), (3, "span_indx"), (0, "span_index")]):
        recording = generate(at)
        recording.span = span
        put(tmp_path / "run", f"w_time_2026_01_01_00_00_0{at}_000000", recording, span_key=key)
    found = spans(tmp_path)
    assert [(span, name[-26]) for _, _, span, name in found] == [(1, "2"), (2, "1"), (3, "0")]
    assert [trace.metadata["span_index"] for trace in nbprof.load(tmp_path)] == [0, 3, 12]


def test_a_file_without_a_span_is_of_the_first(tmp_path: Path) -> None:
    put(tmp_path, "w_time_1", generate(0), span_key="nothing")
    assert [one.format for one in discover(tmp_path).files] == ["Paddle"]
    assert next(iter(nbprof.load(tmp_path))).metadata["span_index"] == 0


def test_runs_nest_freely(tmp_path: Path) -> None:
    for folder in ("a", "a/b", "a/b/c/d"):
        put(tmp_path / folder, "w_time_1", generate(0))
    assert [run for run, *_ in spans(tmp_path)] == ["a", "a/b", "a/b/c/d"]


def test_of_two_forms_of_a_span_one_is_read_and_the_other_said(tmp_path: Path) -> None:
    for span in (0, 1):
        recording = generate(span)
        recording.span = span
        recording.base += span
        put(tmp_path, f"w_time_2026_01_01_00_00_0{span}_000000", recording)
        put(tmp_path, f"w_time_2026_01_01_00_00_0{span}_000400", recording, form="pb")
    profile = nbprof.load(tmp_path)
    assert [(one.span, one.path.suffix) for one in profile.files] == [(1, ".pb"), (2, ".pb")]
    skipped = profile.skipped().to_pylist()
    assert [row["path"][-5:] for row in skipped] == [".json"] * 2
    assert all("same span as w_time_2026_01_01" in row["reason"] for row in skipped)


def test_a_form_that_was_cut_off_is_not_the_one_that_is_read(tmp_path: Path) -> None:
    put(tmp_path, "w_time_2026_01_01_00_00_00_000000", generate(0))
    binary = put(tmp_path, "w_time_2026_01_01_00_00_00_000400", generate(0), form="pb")
    binary.write_bytes(binary.read_bytes()[:-9000])
    assert [name[-4:] for *_, name in spans(tmp_path)] == ["json"]


def test_recordings_with_the_same_span_are_not_taken_for_forms_of_one(tmp_path: Path) -> None:
    other = generate(1)
    other.threads[4000].children[0].start -= 10**10
    put(tmp_path, "w_time_2026_01_01_00_00_00_000000", generate(0))
    put(tmp_path, "w_time_2026_01_01_00_00_09_000000", other, form="pb")
    put(tmp_path, "w_time_2026_01_01_00_00_20_000000", generate(2))
    found = spans(tmp_path)
    assert [span for _, _, span, _ in found] == [1, 2, 3]
    assert discover(tmp_path).skipped == []


def test_what_heads_tell(tmp_path: Path) -> None:
    for form in ("json", "pb"):
        put(tmp_path / form, "host_nodepid_9_time_1", generate(0), form=form)
        put(tmp_path / form, "host_nodepid_8_time_1", generate(0, gpu=False), form=form)
        cpu, gpu = discover(tmp_path / form).files
        assert (cpu.device_type, cpu.devices, cpu.host) == ("cpu", "", "node")
        assert (gpu.device_type, gpu.devices, gpu.rank) == ("gpu", "0", 1)


def test_files_are_known_by_their_content_too(tmp_path: Path) -> None:
    renamed = put(tmp_path, "w_time_1", generate(0)).rename(tmp_path / "renamed.json")
    assert [one.format for one in discover(renamed).files] == ["Paddle"]
    binary = put(tmp_path, "w_time_1", generate(0), form="pb").rename(tmp_path / "renamed.bin")
    assert [one.format for one in discover(binary).files] == ["Paddle"]
    assert not is_protobuf(b"\n  {")
    assert not is_protobuf(b'\n\x20"traceEvents"')


def test_a_directory_may_mix_formats(tmp_path: Path, samples: Path) -> None:
    put(tmp_path, "w_time_1", generate(0))
    found = next(samples.glob("torch_cpu_convnet/*.json*"))
    shutil.copy(found, tmp_path / found.name)
    assert {one.format for one in discover(tmp_path).files} == {"Paddle", "PyTorch"}


def test_type_15_means_what_it_meant_when_it_was_written(tmp_path: Path) -> None:
    start = generate(0).base
    old = Node("DygraphKernelLaunch", "cnInvokeKernel", start + 10, start + 20)
    new = Node("DygraphKernelLaunch", "relu kernel launch", start + 30, start + 40)
    static = Node("StaticKernelLaunch", "add", start + 50, start + 60)
    top = Node("Operator", "op", start, start + 100, [old, new, static])
    top.calls.append(Call("cnrtMemcpyAsync", start + 70, start + 80, 5))
    top.calls.append(Call("cudaMemcpyAsync", start + 81, start + 82, 6))
    model = read_trace(put(tmp_path, "w_time_1", Recording({1: root(top)}), form="pb"))
    types = model.tables["host_types"]["event_type"].to_pylist()
    found = [
        (row["name"], row["kind"], one) for row, one in zip(table_rows(model), types, strict=True)
    ]
    assert found == [
        ("op", "operator", "Operator"),
        ("cnInvokeKernel", "runtime", "MluRuntime"),
        ("relu kernel launch", "phase", "DygraphKernelLaunch"),
        ("add", "phase", "StaticKernelLaunch"),
        ("cnrtMemcpyAsync", "runtime", "MluRuntime"),
        ("cudaMemcpyAsync", "runtime", "CudaRuntime"),
    ]
    assert (name_of(16), name_of(99)) == ("StaticKernelLaunch", "type 99")
    assert host_kind("Communication") == host_kind("type 99") == 1
    assert not is_mlu_call("cnot kernel launch")


def test_texts_are_cleaned() -> None:
    written = [
        "conv[12.3 us]",
        "a[b][1.5 ms]",
        "x[0]",
        "[memory]",
        "f[1 us][2.0 us]",
        None,
        "[3 s]",
    ]
    assert plain_names(written) == ["conv", "a[b]", "x[0]", "[memory]", "f[1 us]", None, ""]
    places = Places()
    found = [places[one] for one in ("Place(cpu)", "Place(gpu:3)", "Place(gpu_pinned)", "??", None)]
    assert found == [(0, -1), (1, 3), (1001, -1), (-1, -1), (-1, -1)]
    stack = '  File "a.py", line 3, in f\n    x()\n  File "b.py", line 7, in <module>\n    f()\n'
    assert PaddleStacks().text(stack) == "a.py(3): f;b.py(7): <module>"
    assert PaddleStacks().text(" \n") is None


def test_lanes_of_a_thread_are_one_thread(tmp_path: Path) -> None:
    model = read_trace(put(tmp_path, "w_time_1", generate(3)))
    threads = table_rows(model, "threads")
    assert [(row["tid"], row["name"]) for row in threads] == [(4000, "MainThread"), (4001, "")]
    parent = model.nesting.parent
    types = model.tables["host_types"]["event_type"].to_pylist()
    operators = [at for at, one in enumerate(types) if one == "Operator" and parent[at] >= 0]
    assert {types[parent[at]] for at in operators} == {"Forward", "PythonUserDefined", "Backward"}


def test_work_is_linked_with_its_call_and_an_arrow(tmp_path: Path) -> None:
    model = read_trace(put(tmp_path, "w_time_1", generate(3)))
    device, links = model.tables["device"], model.links
    assert device.num_rows == 30
    called = model.column("host", "correlation")[links.launch]
    assert called.tolist() == device["correlation"].to_pylist()
    assert (links.operator >= 0).all()
    flows = table_rows(model, "flows")
    assert sorted((one["id"], one["phase"]) for one in flows) == sorted(
        (number, phase) for number in called.tolist() for phase in "sf"
    )


def test_small_windows_read_the_same(tmp_path: Path) -> None:
    path = put(tmp_path, "w_time_1", generate(3))
    assert_same(read_trace(path), read_trace(path, window=3000), written=0)


def test_parts_narrow_what_is_read_whole(tmp_path: Path) -> None:
    put(tmp_path, "w_time_1", generate(3))
    whole = nbprof.load(tmp_path).trace()
    part = nbprof.load(tmp_path, steps=1).trace()
    assert part.operators().equals(whole.filter(steps=1).operators())
    assert part.steps()["step"].to_pylist() == [1]


def test_strict_reads_what_is_sound(tmp_path: Path) -> None:
    for form in ("json", "pb"):
        put(tmp_path / form, "w_time_1", generate(3), form=form)
        assert nbprof.load(tmp_path / form, strict=True).trace().warnings().num_rows <= 1


def test_the_cache_keeps_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    for form in ("json", "pb"):
        model = read_trace(put(tmp_path, "w_time_1", generate(3), form=form))
        cached.keep(model, form)
        found = cached.find(form)
        assert found is not None
        cached.assert_same(found, model)


def test_files_elsewhere_are_found_and_read() -> None:
    system = fsspec.filesystem("memory")
    names = [f"/paddle/run/w_time_{at}.paddle_trace.{end}" for at, end in ((1, "json"), (2, "pb"))]
    try:
        system.pipe_file(names[0], to_json(generate(3)).encode())
        other = generate(4)
        other.span = 1
        system.pipe_file(names[1], to_protobuf(other))
        profile = nbprof.load("memory://paddle", progress=False)
        rows = profile.runs().to_pylist()
        assert [(row["worker"], row["span"], row["format"]) for row in rows] == [
            ("w", 1, "Paddle"),
            ("w", 2, "Paddle"),
        ]
        assert [trace.model.tables["device"].num_rows for trace in profile] == [30, 30]
    finally:
        system.store.clear()


def test_numbers_may_be_text_and_missing(tmp_path: Path) -> None:
    path = put(tmp_path, "w_time_1", generate(3))
    content = json.loads(path.read_text())
    for event in content["traceEvents"]:
        for key in ("correlation id", "addr", "device", "stream"):
            if key in event.get("args", {}):
                event["args"][key] = str(event["args"][key])
        event.get("args", {}).pop("blocks per SM", None)
    path.write_text(json.dumps(content))
    model = read_trace(path)
    assert warning_counts(model) == {}
    assert (model.links.launch >= 0).all()
