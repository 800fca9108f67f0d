"""A profile of nvprof is read as its conversion to an export of Nsight Systems is."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

import nbprof
from nbprof.model.names.demangling import readable_names
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def profile_file(shared_data: Path) -> Path:
    """A recorded profile: a language model under PyProf on a V100."""
    return shared_data / "nvprof" / "profiling-lm" / "net.sql"


@pytest.mark.parametrize("name", ["fixture_lm_modern", "fixture_lm_inline_text"])
def test_it_equals_its_conversion(profile_file: Path, shared_data: Path, name: str) -> None:
    theirs = nbprof.load(shared_data / "nsys" / name / "report.sqlite", cache=False).trace().model
    ours = nbprof.load(profile_file, cache=False).trace().model
    for table, columns in {
        "host": ("kind", "start_ns", "duration_ns", "correlation", "sequence", "forward_thread"),
        "device": (
            "kind",
            "device",
            "stream",
            "start_ns",
            "duration_ns",
            "correlation",
            "registers",
            "shared_memory_bytes",
            "bytes",
            "blocks_per_sm",
        ),
    }.items():
        order = [np.argsort(one.column(table, "start_ns"), kind="stable") for one in (ours, theirs)]
        for column in columns:
            mine, other = (
                one.column(table, column)[rows]
                for one, rows in zip((ours, theirs), order, strict=True)
            )
            np.testing.assert_array_equal(mine, other, column)
    assert (ours.links.launch >= 0).all()
    assert ours.metadata["epoch_ns"] == theirs.metadata["epoch_ns"]
    labels = [one.tables["nvtx_ranges"]["label"].to_pylist() for one in (ours, theirs)]
    assert sorted(labels[0]) == sorted(labels[1])


def test_pyprof_arguments_are_shapes_and_traces_are_stacks(profile_file: Path) -> None:
    trace = nbprof.load(profile_file, cache=False).trace()
    rows = trace.operators(group_by="name+shape").to_pylist()
    linear = [row for row in rows if row["name"] == "torch.nn.functional.linear"]
    assert any(row["input_shapes"].startswith("[[35, 20, 200], [200, 200]") for row in linear)
    stacks = trace.model.recorded("host", "call_stack")
    assert any(stack.startswith("language-model.py:106;") for stack in stacks)


def test_api_calls_have_the_names_of_their_numbers(profile_file: Path) -> None:
    model = nbprof.load(profile_file, cache=False).trace().model
    calls = model.column("host", "kind") == kinds.RUNTIME
    names = model.values("host", "name")
    found = {names[code] for code in np.unique(model.column("host", "name")[calls]).tolist()}
    assert {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaEventQuery", "cudaMalloc"} <= found
    assert not any(name.startswith("CUDA runtime call") for name in found)


def test_kernel_names_are_readable(profile_file: Path) -> None:
    model = nbprof.load(profile_file, cache=False).trace().model
    recorded = model.recorded("device")
    assert any(name.startswith("_Z") for name in recorded)
    assert model.values("device", "name") == readable_names(recorded)


@pytest.mark.parametrize("name", ["net.nvvp", "net.nvprof", "anything.db"])
def test_other_names(profile_file: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy(profile_file, path)
    (file,) = nbprof.load(path, cache=False).files
    assert (file.format, file.device_type, file.devices) == ("nvprof", "gpu", "0")


def write_profile(path: Path, kernels: str, *, again_ns: int | None = None) -> Path:
    """Write a profile with one call and one kernel, in the table of a name, and perhaps another."""
    with closing(sqlite3.connect(path)) as out:
        out.executescript(
            f"""
            CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);
            INSERT INTO StringTable VALUES (1, 'kernel'), (2, 'range');
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (cbid INT, start INT, "end" INT,
                processId INT, threadId INT, correlationId INT, returnValue INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (211, 10, 20, 5, -6, 1, 0);
            CREATE TABLE {kernels} (start INT, "end" INT, deviceId INT, contextId INT,
                streamId INT, correlationId INT, name INT, gridX INT, gridY INT, gridZ INT,
                blockX INT, blockY INT, blockZ INT);
            INSERT INTO {kernels} VALUES (15, 40, 1, 1, 7, 1, 1, 2, 1, 1, 32, 1, 1);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (flags INT, timestamp INT, id INT,
                objectKind INT, objectId BLOB, name INT, domain INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES
                (2, 5, 1, 2, x'05000000FAFFFFFF00000000', 2, 0),
                (4, 30, 1, 2, x'05000000FAFFFFFF00000000', 0, 0);
            """
        )
        if again_ns is not None:
            out.execute(
                f"INSERT INTO {kernels} VALUES (?, ?, 1, 1, 7, 0, 1, 2, 1, 1, 32, 1, 1)",
                (again_ns, again_ns + 5),
            )
            out.commit()
    return path


@pytest.mark.parametrize(
    "table", ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"]
)
def test_a_written_profile(tmp_path: Path, table: str) -> None:
    model = nbprof.load(write_profile(tmp_path / "net.sql", table), cache=False).trace().model
    host = [(one["name"], one["thread"]) for one in model.tables["host"].to_pylist()]
    assert host == [("range", 0), ("cudaLaunchKernel", 0)]
    (thread,) = model.tables["threads"].to_pylist()
    assert (thread["pid"], thread["tid"]) == ("5", 0xFFFFFFFA)
    (kernel,) = model.tables["device"].to_pylist()
    assert (kernel["name"], kernel["device"], kernel["grid"]) == ("kernel", 1, "[2, 1, 1]")
    assert model.links.launch.tolist() == [1]
