"""Discovery of Ascend directories: runs, workers and spans from any starting folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fsspec
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError, TraceNotFoundError
from nbprof.sources import TraceFile, discover, read
from nbprof.sources.ascend.directories import parse_folder
from tests.sources.ascend.directories import STEPS, table
from tests.support.recordings.ascend import operator
from tests.support.traces import op, write

if TYPE_CHECKING:
    from collections.abc import Iterator

OUTPUT = "ASCEND_PROFILER_OUTPUT"
CSV = table(STEPS, "1,1,2,3,4,5,6,7,8")


def recording(folder: Path, rank: int | None = None, *files: str) -> Path:
    """Write a directory of one worker and span, with what lies about in it; return its output."""
    output = folder / OUTPUT
    output.mkdir(parents=True)
    for name in files or ("step_trace_time.csv",):
        (output / name).write_text(CSV if name.endswith(".csv") else "{}")
    for name in ("communication_matrix.json", "op_statistic.csv", "analysis.db", "x.json"):
        (output / name).write_text("{}")
    if rank is not None:
        told = {"rank_id": rank, "config": {"common_config": {"with_stack": True}}}
        (folder / f"profiler_info_{rank}.json").write_text(json.dumps(told))
        (folder / "profiler_metadata.json").write_text("{}")
    raw = folder / "PROF_000001" / "mindstudio_profiler_output"
    raw.mkdir(parents=True)
    (raw / "msprof_1.json").write_text(json.dumps([op()]))
    (folder / "FRAMEWORK").mkdir()
    (folder / "FRAMEWORK" / "x.json").write_text("{}")
    return output


def places(source: Any) -> list[tuple[str, str, int, int]]:
    return [(file.run, file.worker, file.span, file.rank) for file in discover(source).files]


@pytest.mark.parametrize(
    ("name", "worker", "stamp"),
    [
        ("host_123_20250109154803123_ascend_pt", "host_123", 20250109154803123 * 10**11),
        ("rank0_20250109154803_ascend_pt", "rank0", 20250109154803 * 10**14),
        ("a_1.5_ascend_pt", "a", 1_500_000_000),
        ("worker0_20250109154803", "worker0", 20250109154803 * 10**14),
        ("rank0_ascend_pt", "rank0", -1),
        ("rank_0_ascend_pt", "rank_0", -1),
        ("test_rank_1", "test_rank_1", -1),
        ("a_1_2_ascend_pt", "a_1", 2 * 10**9),
        ("plain", "plain", -1),
        ("_7_ascend_pt", "_7", -1),
        ("_ascend_pt", "_ascend_pt", -1),
    ],
)
def test_folder_names(name: str, worker: str, stamp: int) -> None:
    found = parse_folder(name)
    assert (found.worker, found.stamp) == (worker, stamp)
    assert found.expected == name.endswith("_ascend_pt")


def test_runs_workers_and_spans(tmp_path: Path) -> None:
    for name, rank in (("b_9_20250102000000000", 1), ("b_9_20250101000000000", 1), ("a_8_2025", 0)):
        recording(tmp_path / "deep/er" / f"{name}_ascend_pt", rank)
    recording(tmp_path / "other" / "rank3_ascend_pt")
    recording(tmp_path / "other" / "rank10")
    recording(tmp_path / "w_20250101000000")
    (tmp_path / "deep/er/cluster_analysis_output").mkdir()
    (tmp_path / "deep/er/cluster_analysis_output/cluster_communication.json").write_text("{}")
    assert places(tmp_path) == [
        ("deep/er", "a_8", 1, 0),
        ("deep/er", "b_9", 1, 1),
        ("deep/er", "b_9", 2, 1),
        ("other", "rank3", 1, 3),
        ("other", "rank10", 1, 10),
        (tmp_path.name, "w", 1, 0),
    ]
    assert discover(tmp_path).skipped == []
    (early, late) = (file for file in discover(tmp_path).files if file.worker == "b_9")
    assert "20250101" in str(early.path)
    assert "20250102" in str(late.path)


def test_every_beginning_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = tmp_path / "logs/run" / "w0_20250101000000_ascend_pt"
    output = recording(holder, 4)
    for source in (
        holder,
        output,
        output / "step_trace_time.csv",
        tmp_path / "logs/run",
        [holder],
        [output / "step_trace_time.csv", output],
        f"{tmp_path}/logs/*/*",
        f"{tmp_path}/logs/**/*",
        f"{tmp_path}/**/*.csv",
    ):
        assert places(source) == [("run", "w0", 1, 4)], source
        (file,) = discover(source).files
        assert file.path.resolve() == output
        assert read(file, progress=False).tables["npu_steps"].num_rows == 1
        assert discover(source).skipped == []
    monkeypatch.chdir(output)
    assert places(".") == places("step_trace_time.csv") == [("run", "w0", 1, 4)]
    monkeypatch.chdir(holder)
    assert places(OUTPUT) == [("run", "w0", 1, 4)]


def test_what_is_named_is_what_is_read(tmp_path: Path) -> None:
    files = ("step_trace_time.csv", "communication.json", "operator_memory.csv")
    output = recording(tmp_path / "w0_ascend_pt", None, *files)

    def names(source: Any) -> list[str]:
        (file,) = discover(source).files
        return [part.name for part in file.parts]

    assert names(output) == sorted(files)
    assert names(output / files[1]) == [files[1]]
    assert names([output / files[1], output / files[0]]) == [files[1], files[0]]
    assert names([output / files[1], output]) == [files[1], files[2], files[0]]
    (file,) = discover(output).files
    assert file.bytes == sum((output / name).stat().st_size for name in files)


def test_a_folder_of_another_name_holds_them_too(tmp_path: Path) -> None:
    (tmp_path / "logs/mine").mkdir(parents=True)
    (tmp_path / "logs/mine/step_trace_time.csv").write_text(CSV)
    (tmp_path / "logs/mine/communication_matrix.json").write_text("{}")
    write(tmp_path / "logs/mine/gpu.pt.trace.json", [op()])
    assert places(tmp_path / "logs") == [("logs", "mine", 1, 0), ("mine", "gpu", 1, 0)]
    assert places(tmp_path / "logs/mine")[1] == ("mine", "mine", 1, 1)
    assert discover(tmp_path).skipped == []


def test_files_of_these_names_elsewhere_are_no_profiles(tmp_path: Path) -> None:
    (tmp_path / "communication.json").write_text("{}")
    write(tmp_path / "a.json", [op()])
    catalog = discover(tmp_path)
    assert [file.format for file in catalog.files] == ["PyTorch"]
    assert [path.name for path, _ in catalog.skipped] == ["communication.json"]


def test_ranks_are_workers_also_where_names_are_alike(tmp_path: Path) -> None:
    for number in (0, 1):
        recording(tmp_path / f"job_{number}", number)
        recording(tmp_path / "dirs" / f"rank_{number}_ascend_pt")
    recording(tmp_path / "unknown" / "job_0_ascend_pt")
    recording(tmp_path / "unknown" / "job_1_ascend_pt")
    assert places(tmp_path) == [
        ("dirs", "rank_0", 1, 0),
        ("dirs", "rank_1", 1, 1),
        (tmp_path.name, "job_rank0", 1, 0),
        (tmp_path.name, "job_rank1", 1, 1),
        ("unknown", "job", 1, 0),
        ("unknown", "job", 2, 0),
    ]


def test_ranks_may_be_given(tmp_path: Path) -> None:
    one, other = recording(tmp_path / "x_1_ascend_pt", 9), recording(tmp_path / "y_1_ascend_pt")
    assert [row[3] for row in places({5: one.parent, 2: other / "step_trace_time.csv"})] == [5, 2]


def test_formats_share_a_directory(tmp_path: Path) -> None:
    recording(tmp_path / "rank0_20250101000000_ascend_pt", 0)
    write(tmp_path / "rank0.1.pt.trace.json", [op()])
    write(tmp_path / "rank1.1.pt.trace.json", [op()])
    files = discover(tmp_path).files
    found = [(file.worker, file.span, file.format, file.rank) for file in files]
    assert found == [
        ("rank0", 1, "PyTorch", 0),
        ("rank0 (Ascend)", 1, "Ascend", 0),
        ("rank1", 1, "PyTorch", 1),
    ]
    assert len({file.run for file in files}) == 1


def test_a_trace_exported_by_itself_is_known_by_its_content(tmp_path: Path) -> None:
    named = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Ascend Hardware"}}
    (tmp_path / "mine.json").write_text(json.dumps([operator("a", "1736405443881410.320"), named]))
    (file,) = discover(tmp_path).files
    assert (file.format, file.path.name, file.worker) == ("Ascend", "mine.json", "mine")
    assert read(file, progress=False).metadata["epoch_ns"] == 1736405443881410320


def test_raw_and_empty_recordings_are_skipped_with_advice(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [op()])
    output = recording(tmp_path / "raw_1_ascend_pt", 0)
    (output / "step_trace_time.csv").unlink()
    raw = recording(tmp_path / "raw_2_ascend_pt", 0)
    for path in raw.iterdir():
        path.unlink()
    raw.rmdir()
    empty = recording(tmp_path / "raw_3_ascend_pt")
    (empty / "step_trace_time.csv").write_text("")
    reasons = {path.parent.name: reason for path, reason in discover(tmp_path).skipped}
    assert reasons["raw_1_ascend_pt"].startswith("it has none of trace_view.json, kernel_details")
    assert "torch_npu.profiler.profiler.analyse" in reasons.pop(tmp_path.name)
    assert reasons["raw_3_ascend_pt"] == "its files are empty or cannot be opened"
    with pytest.raises((TraceFormatError, TraceNotFoundError)):
        discover(tmp_path / "raw_2_ascend_pt")


def test_links_lead_to_one_recording(tmp_path: Path) -> None:
    output = recording(tmp_path / "run" / "w_1_ascend_pt")
    (tmp_path / "link").symlink_to(tmp_path / "run")
    (output / "trace_view.json").symlink_to(tmp_path / "nowhere")
    assert len(discover(tmp_path).files) == 1
    (file,) = discover(tmp_path).files
    model = read(file, progress=False)
    assert [warning.kind for warning in model.warnings] == ["file not read"]


def test_rows_of_runs(tmp_path: Path) -> None:
    output = recording(tmp_path / "run" / "host.name_4711_20250101000000_ascend_pt", 2)
    header = "Component,Timestamp(us),Total Reserved(MB),Device"
    (output / "npu_module_mem.csv").write_text(table(header, "HCCL,1,2,NPU:6"))
    (row,) = nbprof.load(tmp_path).runs().to_pylist()
    told = {name: row[name] for name in ("run", "worker", "span", "format", "device_type")}
    assert tuple(told.values()) == ("run", "host.name_4711", 1, "Ascend", "npu")
    assert (row["devices"], row["rank"], row["host"]) == ("6", 2, "host.name")
    assert row["path"] == str(output)
    assert row["bytes"] == sum(part.stat().st_size for part in parts_of(tmp_path))


def parts_of(source: Path) -> tuple[Path, ...]:
    (file,) = discover(source).files
    return tuple(part for part in file.parts if isinstance(part, Path))


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    for rank in (0, 1):
        holder = f"/logs/run/rank{rank}_20250101000000_ascend_pt"
        told = json.dumps({"rank_id": rank}).encode()
        system.pipe(f"{holder}/profiler_info_{rank}.json", told)
        system.pipe(f"{holder}/{OUTPUT}/step_trace_time.csv", CSV.encode())
        system.pipe(f"{holder}/{OUTPUT}/communication_matrix.json", b"{}")
        system.pipe(f"{holder}/PROF_1/x.json", b"{}")
    yield system
    system.rm("/", recursive=True)


def test_recordings_elsewhere(memory: Any) -> None:
    expected = [("run", "rank0", 1, 0), ("run", "rank1", 1, 1)]
    holder = "memory://logs/run/rank1_20250101000000_ascend_pt"
    assert places("memory://logs") == places("memory://logs/run") == expected
    assert places("memory://logs/**/*.csv") == expected
    for source in (holder, f"{holder}/{OUTPUT}", f"{holder}/{OUTPUT}/step_trace_time.csv"):
        assert places(source) == expected[1:]
        (file,) = discover(source).files
        assert str(file.path) == f"{holder}/{OUTPUT}"
        assert discover(source).skipped == []
    profile = nbprof.load("memory://logs")
    assert profile.trace("run", "rank1").model.tables["npu_steps"].num_rows == 1
    before = profile.trace("run", "rank1")._content.stamp
    path = f"/logs/run/rank1_20250101000000_ascend_pt/{OUTPUT}/step_trace_time.csv"
    memory.pipe(path, table(STEPS, "1,1,2,3,4,5,6,7,8", "2,1,2,3,4,5,6,7,8").encode())
    profile.refresh()
    assert profile.trace("run", "rank1")._content.stamp != before
    assert profile.trace("run", "rank1").model.tables["npu_steps"].num_rows == 2


def test_files_need_not_be_below_where_one_is(tmp_path: Path) -> None:
    output = recording(tmp_path / "run" / "w_1_ascend_pt", 3)
    (file,) = discover(os.path.relpath(output)).files
    assert isinstance(file, TraceFile)
    assert (file.run, file.rank) == ("run", 3)
