"""Zip and tar archives: their files are found, probed and read like files on disk."""

from __future__ import annotations

import bz2
import cProfile
import gzip
import io
import json
import lzma
import os
import pickle
import sqlite3
import tarfile
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import fsspec
import pyarrow as pa
import pytest

import nbprof
from nbprof.sources import discover, read
from nbprof.sources.packed import archives
from tests.support.traces import kernel, op, warning_counts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def trace(rank: int = 0, events: int = 3) -> bytes:
    header = {"distributedInfo": {"rank": rank, "world_size": 4}}
    found = [op(ts=10 * at) for at in range(events)] + [kernel(dur=100)]
    return json.dumps({**header, "traceEvents": found}).encode()


def zip_of(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tar_bytes(files: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in files.items():
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content) if isinstance(content, bytes) else 0
            archive.addfile(info, io.BytesIO(content if isinstance(content, bytes) else b""))
    return target.getvalue()


def zstd(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


TARS: dict[str, Any] = {
    ".tar": bytes,
    ".tar.gz": gzip.compress,
    ".tgz": gzip.compress,
    ".tar.xz": lzma.compress,
    ".tar.bz2": bz2.compress,
    ".tar.zst": zstd,
}

JOB = {
    "day1/rank0.pt.trace.json": trace(0),
    "day1/rank1.pt.trace.json": trace(1),
    "day2/rank0.pt.trace.json": trace(0),
    "day2/notes.txt": b"slow",
    "__MACOSX/day1/._rank0.pt.trace.json": b"\0\5\x16\7",
}


def kernels_us(profile: nbprof.Profile) -> list[float]:
    """Return the time of kernels of each file."""
    models = [read(file, progress=False) for file in profile.files]
    return [sum(one.tables["device"]["duration_ns"].to_pylist()) / 1000 for one in models]


def reasons(source: Any) -> dict[str, str]:
    """Return why the files under a source are not read, by name."""
    return {path.name: reason for path, reason in discover(source).skipped}


def refused(source: Any) -> str:
    with pytest.raises(nbprof.TraceFormatError) as error:
        nbprof.load(source, cache=False)
    return str(error.value)


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


def test_another_method_is_named(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"rank0.json": trace()}, zipfile.ZIP_LZMA)
    assert "compressed by method 14 of zip archives; extract it" in refused(path)


def test_an_encrypted_file_is_named(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"rank0.json": trace(), "b.json": trace(1)})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag of the first file in the directory
    path.write_bytes(data)
    assert reasons(path) == {"rank0.json": "it is encrypted; extract it with its password"}


def test_names_that_lead_out_of_the_archive_are_refused(tmp_path: Path) -> None:
    names = ["../out.json", "a/../../out2.json", "/abs/rank0.json", "./b//rank1.json"]
    packed = {"a.zip": zip_of(tmp_path / "a.zip", {name: trace() for name in names})}
    packed["b.tar"] = tmp_path / "b.tar"
    packed["b.tar"].write_bytes(tar_bytes({name: trace() for name in names}))
    for path in packed.values():
        catalog = discover(path)
        assert {path.name for path, _ in catalog.skipped} == {"out.json", "out2.json"}
        assert {reason for _, reason in catalog.skipped} == {"its path leads out of the archive"}
        inner = [str(file.path).removeprefix(f"{path}/") for file in catalog.files]
        assert inner == ["abs/rank0.json", "b/rank1.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "b.tar"]


def test_links_and_devices_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(trace())
    kinds = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
    files: dict[str, Any] = {"rank0.json": trace()}
    for kind in kinds:
        info = tarfile.TarInfo(f"w{kind.decode()}.json")
        info.type, info.linkname = kind, str(tmp_path / "secret.json")
        files[info.name] = info
    tar = tmp_path / "a.tar"
    tar.write_bytes(tar_bytes(files))
    link = zipfile.ZipInfo("link.json")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, str(tmp_path / "secret.json"))
        archive.writestr("rank0.json", trace())
    for path, count in ((tar, 4), (tmp_path / "a.zip", 1)):
        found = reasons(path)
        assert len(found) == count
        assert set(found.values()) == {"it is a link, a device or the like, and no regular file"}
        assert len(discover(path).files) == 1


def test_the_last_of_a_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_bytes({"a.json": trace(events=1), "./a.json": trace(events=7)}))
    assert nbprof.load(path, cache=False).trace().model.tables["host"].num_rows == 7


def test_directories_of_several_files_are_named(tmp_path: Path) -> None:
    inner = "w_20240101000000_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"
    path = zip_of(tmp_path / "a.zip", {inner: b"[]", "rank0.json": trace()})
    assert "extract the archive" in reasons(path)["trace_view.json"]
    assert [file.worker for file in discover(path).files] == ["rank0"]


@pytest.mark.parametrize("files", [{}, {"notes.txt": b"slow", "folder/": b""}])
def test_archives_without_traces(tmp_path: Path, files: dict[str, bytes]) -> None:
    zip_of(tmp_path / "a.zip", files)
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(tar_bytes(files)))
    for name, kind in (("a.zip", "zip"), ("b.tar.gz", "tar")):
        assert f"not a trace: not JSON, but a {kind} archive" in refused(tmp_path / name)
    (tmp_path / "rank0.json").write_bytes(trace())
    assert sorted(reasons(tmp_path)) == ["a.zip", "b.tar.gz"]


def test_damaged_archives_are_named(tmp_path: Path) -> None:
    whole = zip_of(tmp_path / "a.zip", JOB).read_bytes()
    (tmp_path / "a.zip").write_bytes(whole[: len(whole) // 2])
    assert "the zip archive is damaged (File is not a zip file)" in refused(tmp_path / "a.zip")
    tar = tar_bytes({"a.json": trace(0), "b.json": trace(1, events=200)})
    (tmp_path / "b.tar").write_bytes(tar[:3000])
    (tmp_path / "c.tar.gz").write_bytes(gzip.compress(tar)[:-400])
    for name, problem in (
        ("b.tar", "the tar archive is damaged (unexpected end of data)"),
        ("c.tar.gz", "the gzip data ends too early"),
    ):
        path = tmp_path / name
        catalog = discover(path)
        assert [file.path.name for file in catalog.files] == ["a.json", "b.json"]
        assert reasons(path) == {name: problem}
        model = read(catalog.files[1], progress=False)
        assert set(warning_counts(model)) == {"damaged tar", "cut off"}
        assert 0 < model.tables["host"].num_rows < 200
    (tmp_path / "d.tar").write_bytes(b"no archive at all")
    assert "the tar archive is damaged" in refused(tmp_path / "d.tar")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damaged_content_in_a_zip_archive(tmp_path: Path, method: int) -> None:
    path = zip_of(tmp_path / "a.zip", {"rank0.json": trace(events=5000)}, method)
    data = bytearray(path.read_bytes())
    at = data.index(b'"ts": 3', len(data) // 2) + 6 if method == 0 else len(data) // 2
    data[at] ^= 1
    path.write_bytes(data)
    model = nbprof.load(path, cache=False).trace().model
    assert "damaged zip" in warning_counts(model)
    assert model.tables["host"].num_rows > 100
    with pytest.raises(nbprof.TraceFormatError, match=r"damaged zip|Reading with strict=False"):
        nbprof.load(path, strict=True, cache=False).trace().read()


BLANKS = b'{"traceEvents": [' + b" " * (32 << 20) + b"]}"


def test_a_bomb_in_an_archive_is_read_up_to_the_budget(tmp_path: Path) -> None:
    one = zip_of(tmp_path / "a.zip", {"rank0.json": BLANKS})
    two = zip_of(tmp_path / "b.zip", {"rank0.json.gz": gzip.compress(gzip.compress(BLANKS))})
    three = tmp_path / "c.tar.gz"
    three.write_bytes(gzip.compress(tar_bytes({"rank0.json": BLANKS})))
    four = zip_of(tmp_path / "d.zip", {"rank0.json.gz": gzip.compress(BLANKS)})
    with nbprof.options.having(unpacked_bytes=1 << 20, unpacked_ratio=2):
        assert "nbprof.options.unpacked_bytes" in refused_reading(one)
        assert "not JSON" in refused(two)  # gzip twice is no format of traces
        assert "nbprof.options.unpacked_bytes" in refused_reading(three)
        assert "nbprof.options.unpacked_bytes" in refused_reading(four)


def refused_reading(path: Path) -> str:
    """Return why the file in an archive cannot be read."""
    trace_ = nbprof.load(path, cache=False).trace()
    with pytest.raises(nbprof.TraceFormatError) as error:
        trace_.read()
    return str(error.value)


def test_files_share_the_budget_of_their_archive(tmp_path: Path) -> None:
    text = trace(events=20_000)
    path = zip_of(tmp_path / "a.zip", {f"rank{rank}.json": text for rank in range(4)})
    with nbprof.options.having(unpacked_bytes=len(text) * 2, unpacked_ratio=1):
        assert [file.worker for file in discover(path).files] == ["rank0", "rank1"]
        told = reasons(path)
        assert sorted(told) == ["rank2.json", "rank3.json"]
        assert all("of zip data unpack to more than" in reason for reason in told.values())
    assert len(discover(path).files) == 4


def test_no_more_files_are_looked_at_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 5)
    path = zip_of(tmp_path / "a.zip", {f"rank{at}.json": trace(at) for at in range(9)})
    assert len(discover(path).files) == 5
    assert reasons(path) == {"a.zip": "only its first 5 files are looked at"}


def test_large_archives_without_traces_near_their_beginning_end_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LOOKED_THROUGH", 1 << 20)
    files = {"model.bin": os.urandom(3 << 20), "other.bin": b"", "rank0.json": trace()}
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(tar_bytes(files)))
    assert "no trace is among its first 1" in refused(path)
    (tmp_path / "b.tar").write_bytes(tar_bytes(files))
    assert len(discover(tmp_path / "b.tar").files) == 1


def test_an_archive_is_never_overwritten(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.json", {"rank0.json": trace()})
    with pytest.raises(FileExistsError):
        nbprof.load(path, cache=False).trace().to_chrome_trace(path)


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
