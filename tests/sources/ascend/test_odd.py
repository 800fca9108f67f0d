"""Oddities of Ascend directories do not affect other rows, names or messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.model.errors import TraceFormatError, TraceNotFoundError
from nbprof.sources import discover, read
from nbprof.sources.ascend.directories import parse_folder
from tests.sources.ascend.directories import STEPS, model_of, output_folder, table
from tests.support.recordings.ascend import (
    KERNEL_HEADER,
    LAYERS,
    arrow,
    column,
    kernel_row,
    operator,
    read_directory,
    task,
    warning_kinds,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

START = "1736405443881410.320"
HOUR = 3_600_000_000


def kernels_with(tmp_path: Path, *metrics: str) -> TraceModel:
    """Read a kernel with metrics of these names, each its number."""
    header = ",".join([KERNEL_HEADER, *metrics])
    row = ",".join([kernel_row("k", START, "1"), *map(str, range(len(metrics)))])
    return model_of(output_folder(tmp_path), kernel_details=table(header, row))


def test_metrics_may_be_called_like_any_column(tmp_path: Path) -> None:
    names = ["row", "row (recorded)", "step", "pct", "pct (recorded)", "operator", "grid"]
    model = kernels_with(tmp_path, *names)
    found = model.tables["npu_kernels"]
    assert found.column_names[-len(names) :] == [
        "row (recorded)",
        "row (recorded) (recorded)",
        "step (recorded)",
        *names[3:],
    ]
    (row,) = nbprof.load(tmp_path, progress=False).trace().kernels(group_by="launch").to_pylist()
    assert (row["pct"], row["pct (recorded)"]) == (100.0, 4.0)
    assert row["pct (recorded) (recorded)"] == 3.0
    assert (row["operator"], row["operator (recorded)"], row["grid"]) == (None, 5.0, 6.0)


def test_digits_are_those_that_recorders_write(tmp_path: Path) -> None:
    rows = [kernel_row("a", START, "\u0661\u0662"), kernel_row("b", START, "1")]
    model = model_of(output_folder(tmp_path), kernel_details=table(KERNEL_HEADER, *rows))
    assert column(model, "device", "name") == ["b"]
    assert warning_kinds(model) == {"rows without a time": 1}


@pytest.mark.parametrize("far", [f"{1736405443881410 - 25 * HOUR}.5", "1.0"])
def test_an_event_of_another_time_does_not_move_the_others(tmp_path: Path, far: str) -> None:
    near = [operator("a", START), task("k", START, 2.5), task("l", START)]
    stray = [operator("x", far), task("y", far), *arrow("async_npu", 7, (100, 1, far))]
    model = read_directory(write(tmp_path, [*stray, *LAYERS, *near]))
    assert column(model, "host", "name") == ["a"]
    assert column(model, "device", "name") == ["k", "l"]
    assert model.metadata["epoch_ns"] == 1736405443881410320
    assert model.metadata["end_ns"] == 2500
    assert model.tables["flows"].num_rows == 0
    assert warning_kinds(model) == {"times of another clock": 3}
    with pytest.raises(TraceFormatError, match="times of another clock"):
        read_directory(tmp_path, strict=True)


@pytest.mark.parametrize("start", ["x", -5, 1e40, [1], "99999999999999999999999"])
def test_odd_starts_of_collectives_are_counted(tmp_path: Path, start: Any) -> None:
    told = {"Communication Time Info": {"Start Timestamp(us)": start, "Elapse Time(ms)": 2}}
    model = model_of(output_folder(tmp_path), communication={"step1": {"collective": {"a": told}}})
    (row,) = model.tables["communication"].to_pylist()
    assert (row["start_ns"], row["elapse_us"]) == (-1, 2000.0)
    assert warning_kinds(model) == {"bad numbers": 1}


@pytest.mark.parametrize("size", ["1e300", 10**25])
def test_huge_sizes_of_links_are_left_out_and_counted(tmp_path: Path, size: Any) -> None:
    told = {
        "Communication Time Info": {"Start Timestamp(us)": 5, "Elapse Time(ms)": 2},
        "Communication Bandwidth Info": {"HCCS": {"Transit Size(MB)": size}},
    }
    model = model_of(output_folder(tmp_path), communication={"step1": {"collective": {"a": told}}})
    (link,) = model.tables["communication_links"].to_pylist()
    assert link["bytes"] == -1
    assert warning_kinds(model) == {"numbers that are too large": 1}


def test_times_of_day_are_in_order_with_and_without_milliseconds() -> None:
    names = ["w_20241231235959999", "w_20250101000000", "w_20250101000000001", "w_20260101000000"]
    stamps = [parse_folder(name).stamp for name in names]
    assert stamps == sorted(set(stamps))
    assert parse_folder("w_9").stamp < parse_folder("w_10").stamp
    assert parse_folder("w_\u0661").worker == "w_\u0661"


def test_data_bases_alone_are_named(tmp_path: Path) -> None:
    output = output_folder(tmp_path)
    (output / "ascend_pytorch_profiler_0.db").write_bytes(b"SQLite format 3\0")
    for source in (tmp_path, output.parent, output):
        with pytest.raises(TraceNotFoundError, match=r"a database, .*ExportType\.Text"):
            discover(source)


def test_workers_of_one_profiler_are_called_alike(tmp_path: Path) -> None:
    for rank in (0, 1):
        folder = tmp_path / f"rank{rank}_20250101000000_ascend_pt/ASCEND_PROFILER_OUTPUT"
        folder.mkdir(parents=True)
        (folder / "step_trace_time.csv").write_text(table(STEPS, "1,1,2,3,4,5,6,7,8"))
    slices = [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]
    for rank in (1, 2):
        path = tmp_path / f"rank{rank}.1.pt.trace.json"
        path.write_text(json.dumps({"traceEvents": slices}))
    found = [(file.worker, file.rank) for file in discover(tmp_path).files]
    assert found == [("rank0 (Ascend)", 0), ("rank1", 1), ("rank1 (Ascend)", 1), ("rank2", 2)]


def test_progress_goes_to_the_end(tmp_path: Path) -> None:
    output = output_folder(tmp_path)
    (output / "step_trace_time.csv").write_text(table(STEPS, "1,1,2,3,4,5,6,7,8"))
    (output / "kernel_details.csv").write_text("no table")
    (output.parent / "profiler_info_3.json").write_text("{}")
    (file,) = discover(tmp_path).files
    seen: list[int] = []
    read(file, progress=lambda done, *_: seen.append(done))
    assert seen == sorted(seen)
    assert seen[-1] == file.bytes
