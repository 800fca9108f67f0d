"""Reading whole Ascend directories: broken files, metadata, one clock for all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nbprof.model.errors import TraceFormatError
from nbprof.sources import ReadOptions, discover, read
from tests.sources.ascend.directories import STEPS, model_of, output_folder, table
from tests.support.recordings.ascend import (
    column,
    kernel_row,
    kernel_table,
    operator,
    warning_kinds,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return output_folder(tmp_path)


BROKEN = {
    "communication": b'{"step1": {"coll',
    "operator_details": b"",
    "memory_record": b"Component,Timestamp(us)\nAPP,1\n",
    "operator_memory": b"\x00\x01\x02",
    "step_trace_time": b"a,b\n1,2\n",
    "trace_view": b"hello",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_and_the_others_are_there(folder: Path, name: str) -> None:
    good = kernel_table(kernel_row("k", "1736405443881410.320", "1.5"))
    model = model_of(folder, kernel_details=good, **{name: BROKEN[name]})
    assert column(model, "device", "name") == ["k"]
    (warning,) = [one for one in model.warnings if one.kind == "file not read"]
    assert warning.example.startswith(name)
    assert "kernel_details.csv" in model.metadata["files"]
    assert not any(file.startswith(name) for file in model.metadata["files"])
    with pytest.raises(TraceFormatError, match=name):
        model_of(folder, strict=True)


def test_a_directory_with_nothing_in_its_files_is_no_trace(folder: Path) -> None:
    with pytest.raises(TraceFormatError, match=r"nothing is recorded .*step_trace_time.csv"):
        model_of(folder, step_trace_time=f"{STEPS}\n", kernel_details="Name\n")


def test_a_file_that_went_away_is_named(folder: Path) -> None:
    model_of(folder, kernel_details=kernel_table(kernel_row("k", "1", "1")))
    (folder / "step_trace_time.csv").write_text(table(STEPS, "1,1,2,3,4,5,6,7,8"))
    (file,) = discover(folder).files
    (folder / "step_trace_time.csv").unlink()
    assert warning_kinds(read(file, progress=False)) == {"file not read": 1}
    (folder / "kernel_details.csv").unlink()
    with pytest.raises(TraceFormatError, match="No such file"):
        read(file, progress=False)


INFO = {
    "config": {
        "common_config": {
            "record_shapes": True,
            "with_stack": False,
            "on_trace_ready": {"_worker_name": "node7_90210", "_dir_name": "/secret"},
        },
        "experimental_config": {"_profiler_level": "Level1", "_aic_metrics": "PIPE"},
    },
    "cann_version": "8.3.RC1",
    "rank_id": "5",
}


def test_metadata_are_known_keys_only(folder: Path) -> None:
    beside = folder.parent
    (beside / "profiler_info_5.json").write_text(json.dumps(INFO))
    told = {"distributed_args": {"rank": 5, "world_size": 8}, "ENV_VARIABLES": {"TOKEN": "secret"}}
    (beside / "profiler_metadata.json").write_text(json.dumps(told))
    model = model_of(folder, step_trace_time=table(STEPS, "1,1,2,3,4,5,6,7,8"))
    (file,) = discover(folder).files
    assert (file.rank, file.world_size, file.host) == (5, 8, "node7")
    assert "secret" not in repr(model.metadata)
    found = {name: model.metadata[name] for name in ("rank", "world_size", "record_shapes")}
    assert found == {"rank": 5, "world_size": 8, "record_shapes": True}
    assert (model.metadata["profiler_level"], model.metadata["cann_version"]) == (
        "Level1",
        "8.3.RC1",
    )
    assert model.metadata["device_type"] == "npu"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"rank_id": {"a": 1}, "config": []}', "\xff"])
def test_metadata_that_are_broken_lose_nothing_else(folder: Path, text: str) -> None:
    (folder.parent / "profiler_info_3.json").write_text(text, "latin1")
    model = model_of(folder, step_trace_time=table(STEPS, "1,1,2,3,4,5,6,7,8"))
    assert discover(folder).files[0].rank == model.metadata["rank"] == 3


def test_one_clock_for_all_files(folder: Path) -> None:
    """Memory is sampled before kernels run; records of another day do not move time zero."""
    kernels = kernel_table(kernel_row("k", "1736405443881410", "100"))
    header = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type"
    times = ("1736405443881400", "1736405443881600", "1600000000000000", "1800000000000000")
    records = table(header, *(f"APP,{time},,1,NPU:0" for time in times))
    model = model_of(folder, kernel_details=kernels, memory_record=records)
    assert model.metadata["epoch_ns"] == 1736405443881400000
    assert model.metadata["end_ns"] == 200_000
    assert column(model, "device", "start_ns") == [10_000]
    assert column(model, "memory_components", "time_ns")[1:3] == [0, 200_000]
    assert warning_kinds(model) == {"times of another clock": 2}
    model_of(folder, strict=True)


def test_a_part_is_all_of_it(folder: Path) -> None:
    trace = [operator("a", "1736405443881410.320", 5.0)]
    model_of(folder, trace_view=trace)
    (file,) = discover(folder).files
    whole = read(file, progress=False)
    part = read(file, ReadOptions(steps=(1, 2)), progress=False)
    assert part.tables["host"].equals(whole.tables["host"])


def test_progress_tells_of_all_files(folder: Path) -> None:
    model_of(folder, kernel_details=kernel_table(kernel_row("k", "1", "1")), step_trace_time=STEPS)
    (file,) = discover(folder).files
    told: list[tuple[int, int]] = []
    read(file, progress=lambda done, total, _: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (file.bytes, file.bytes)
