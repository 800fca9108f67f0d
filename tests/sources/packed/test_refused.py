"""What cannot be read in archives: damage, bombs, names that lead out, links and devices."""

from __future__ import annotations

import gzip
import os
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.sources import discover, read
from nbprof.sources.packed import archives
from tests.sources.packed.making import JOB, reasons, refused, tar_bytes, trace, zip_of
from tests.support.traces import warning_counts

if TYPE_CHECKING:
    from pathlib import Path


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
        ("b.tar", "the tar archive is damaged (unexpected end of data); copy it again"),
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
