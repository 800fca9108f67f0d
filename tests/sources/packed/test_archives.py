"""Zip and tar archives: their files are found, probed and read like files on disk."""

from __future__ import annotations

import cProfile
import gzip
import lzma
import os
import pickle
import sqlite3
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import fsspec
import pytest

import nbprof
from nbprof.sources import discover, read
from tests.sources.packed.making import JOB, TARS, reasons, tar_bytes, trace, zip_of

if TYPE_CHECKING:
    from pathlib import Path


def kernels_us(profile: nbprof.Profile) -> list[float]:
    """Return the time of kernels of each file."""
    models = [read(file, progress=False) for file in profile.files]
    return [sum(one.tables["device"]["duration_ns"].to_pylist()) / 1000 for one in models]


@pytest.mark.parametrize("ending", [".zip", *TARS])
def test_directories_in_an_archive_are_runs(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"job{ending}"
    if ending == ".zip":
        zip_of(path, JOB)
    else:
        path.write_bytes(TARS[ending](tar_bytes(JOB)))
    profile = nbprof.load(path, cache=False)
    found = [(file.run, file.worker, file.rank) for file in profile.files]
    assert found == [("day1", "rank0", 0), ("day1", "rank1", 1), ("day2", "rank0", 0)]
    assert str(profile.files[0].path) == f"{path}/day1/rank0.pt.trace.json"
    assert kernels_us(profile) == [100, 100, 100]
    assert not profile.skipped().num_rows
    assert not any(read(file, progress=False).warnings for file in profile.files)


def test_an_archive_of_one_trace_belongs_to_the_run_beside_it(tmp_path: Path) -> None:
    (tmp_path / "rank0.json").write_bytes(trace(0))
    zip_of(tmp_path / "rank1.zip", {"rank1.json": trace(1)})
    (tmp_path / "late.tar.gz").write_bytes(gzip.compress(tar_bytes({"rank2.json": trace(2)})))
    zip_of(tmp_path / "rank3.pt.trace.json.gz", {"trace.json": trace(3)})
    for source in (tmp_path, str(tmp_path / "*")):
        profile = nbprof.load(source, cache=False)
        assert [(file.run, file.worker) for file in profile.files] == [
            (tmp_path.name, f"rank{rank}") for rank in range(4)
        ]
    given = nbprof.load({5: tmp_path / "rank1.zip", 6: tmp_path / "rank0.json"}, cache=False)
    assert {file.rank: file.worker for file in given.files} == {5: "rank1", 6: "rank0"}


def test_archives_with_the_same_content_are_different_runs(tmp_path: Path) -> None:
    files = {"rank0.json": trace(0), "rank1.json": trace(1)}
    for name in ("a", "b"):
        zip_of(tmp_path / f"{name}.zip", files)
        zip_of(tmp_path / f"{name}2.zip", {f"logs/{file}": text for file, text in files.items()})
    runs = {file.run for file in discover(tmp_path).files}
    assert runs == {"a", "b", "a2.zip/logs", "b2.zip/logs"}


def test_files_of_all_formats_in_one_archive(tmp_path: Path) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(sorted, [3, 1, 2])
    profiler.dump_stats(tmp_path / "own.prof")
    base = tmp_path / "base.sqlite"
    with closing(sqlite3.connect(base)) as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        connection.commit()
    block = {"address": 16, "size": 512, "state": "active_allocated"}
    segment = {"address": 16, "total_size": 1024, "blocks": [block], "device": 0, "stream": 0}
    snapshot = {"segments": [segment], "device_traces": [[]]}
    files = {
        "rank0.json": trace(0),
        "rank1.json.gz": gzip.compress(trace(1)),
        "rank2.json.xz": lzma.compress(trace(2)),
        "own.prof": (tmp_path / "own.prof").read_bytes(),
        "memory.pickle": pickle.dumps(snapshot),
        "base.sqlite": base.read_bytes(),
        "report.nsys-rep": b"report",
        "inner.zip": zip_of(tmp_path / "inner" / "a.zip", {"a.json": trace()}).read_bytes(),
    }
    path = tmp_path / "all.tar.gz"
    path.write_bytes(gzip.compress(tar_bytes(files)))
    profile = nbprof.load(path, cache=False)
    found = {file.path.name: file.format for file in profile.files}
    assert found == {
        "rank0.json": "PyTorch",
        "rank1.json.gz": "PyTorch",
        "rank2.json.xz": "PyTorch",
        "own.prof": "Python profile",
        "memory.pickle": "PyTorch memory snapshot",
        "base.sqlite": "Nsight Systems",
    }
    assert {file.run for file in profile.files} == {"all"}
    assert profile.trace(worker="rank2").model.tables["host"].num_rows == 3
    assert profile.trace(worker="own").functions().num_rows
    assert profile.trace(worker="memory").memory_segments().num_rows == 1
    told = reasons(path)
    assert told["report.nsys-rep"].endswith("--type sqlite report.nsys-rep")
    assert told["inner.zip"] == "it is a zip archive in an archive; unpack it, and pass that"


def test_archives_on_a_remote_file_system(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/packed/job.zip", zip_of(tmp_path / "a.zip", JOB).read_bytes())
    memory.pipe("/packed/job.tar.gz", gzip.compress(tar_bytes(JOB)))
    for source in ("memory://packed/job.zip", "memory://packed/job.tar.gz", "memory://packed"):
        profile = nbprof.load(source, cache=False)
        assert kernels_us(profile) == [100.0] * (6 if source.endswith("packed") else 3)
        assert str(profile.files[0].path).startswith("memory://packed/job.")


def test_the_profile_follows_an_archive_that_changes(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"rank0.json": trace(0, events=3)})
    profile = nbprof.load(tmp_path)
    stale = profile.trace()
    zip_of(path, {"rank0.json": trace(0, events=9), "rank1.json": trace(1)})
    os.utime(path, ns=(1, 2**60))
    with pytest.raises(nbprof.TraceFormatError, match="the archive has changed"):
        read(stale.file, progress=False)
    profile.refresh()
    assert len(profile.files) == 2
    assert profile.trace(worker="rank0").model.tables["host"].num_rows == 9


def test_files_are_pickled_for_other_processes(tmp_path: Path) -> None:
    file = discover(zip_of(tmp_path / "a.zip", JOB)).files[0]
    again = pickle.loads(pickle.dumps(file))  # noqa: S301 - our own
    assert again == file
    assert read(again, progress=False).tables["host"].num_rows == 3


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_methods_of_zip_archives(tmp_path: Path, method: int) -> None:
    path = zip_of(tmp_path / "a.zip", {"rank0.json": trace(events=5000)}, method)
    model = nbprof.load(path, cache=False).trace().model
    assert model.tables["host"].num_rows == 5000
    assert not model.warnings


def test_reported_archives(shared_data: Path) -> None:
    folder = shared_data / "reports" / "zips"
    profile = nbprof.load(folder, cache=False)
    assert [file.worker for file in profile.files] == ["rank0", "rank1", "rank2", "rank3"]
    for source in (folder, *folder.iterdir()):
        for file in nbprof.load(source, cache=False).files:
            model = read(file, progress=False)
            durations = model.tables["device"]["duration_ns"].to_pylist()
            assert sorted(durations) == [100_000, 200_000]
            assert len(model.steps.number) == 1
            assert not model.warnings
