"""Broken, unfinished and foreign files are reported, and their neighbours are read."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.sources.nsight.exports import Export, tid, write_export

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """An export that can be read, alone in a folder."""
    return write_export(tmp_path / "good.sqlite")


def _only_reason(folder: Path, name: str) -> str:
    """Return why the other file of a folder is skipped, and check that passing it says so."""
    profile = nbprof.load(folder, cache=False)
    assert [file.worker for file in profile.files] == ["good"]
    assert profile.trace().kernels().num_rows == 3
    (row,) = profile.skipped().to_pylist()
    assert row["path"].endswith(name)
    with pytest.raises(nbprof.TraceFormatError) as raised:
        nbprof.load(folder / name, cache=False)
    assert row["reason"] in str(raised.value)
    reason: str = row["reason"]
    return reason


def test_a_database_that_was_cut_off(good: Path) -> None:
    (good.parent / "cut.sqlite").write_bytes(good.read_bytes()[:-5000])
    reason = _only_reason(good.parent, "cut.sqlite")
    assert "it has" in reason
    assert "that its header announces; copy or export it again" in reason


def test_a_database_of_a_few_bytes(good: Path) -> None:
    (good.parent / "cut.sqlite").write_bytes(good.read_bytes()[:50])
    assert "it is incomplete" in _only_reason(good.parent, "cut.sqlite")


def test_a_damaged_definition(good: Path) -> None:
    text = bytearray(good.read_bytes())
    text[100:4000] = b"\xff" * 3900
    (good.parent / "bad.sqlite").write_bytes(text)
    assert "is damaged" in _only_reason(good.parent, "bad.sqlite")


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_database_that_is_still_being_written(good: Path, suffix: str) -> None:
    shutil.copy(good, good.parent / "busy.sqlite")
    (good.parent / f"busy.sqlite{suffix}").write_bytes(b"changes")
    assert "wait until the export is complete" in _only_reason(good.parent, "busy.sqlite")


def test_a_pointer_of_git_lfs(good: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    (good.parent / "lfs.sqlite").write_text(pointer)
    assert "git lfs pull" in _only_reason(good.parent, "lfs.sqlite")


def test_a_database_of_another_program(good: Path) -> None:
    with closing(sqlite3.connect(good.parent / "other.sqlite")) as out:
        out.execute("CREATE TABLE runs (id)")
    assert "a SQLite database of another program" in _only_reason(good.parent, "other.sqlite")


def test_text_with_the_name_of_a_database(good: Path) -> None:
    (good.parent / "text.sql").write_text("SELECT 1;")
    assert "not a trace" in _only_reason(good.parent, "text.sql")


def test_an_export_without_events(good: Path) -> None:
    Export(good.parent / "empty.sqlite").close()
    profile = nbprof.load(good.parent / "empty.sqlite", cache=False)
    with pytest.raises(nbprof.TraceFormatError, match="it holds no calls, ranges or device work"):
        profile.trace().kernels()
    assert profile.skipped().num_rows == 1


def test_rows_before_the_damage_are_kept(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    for at in range(4000):
        out.range("range", 10 * at, 10 * at + 5, tid(7, 7))
    text = bytearray(out.close().read_bytes())
    text[-4096:] = b"\xff" * 4096
    text[len(text) // 2 : len(text) // 2 + 4096] = b"\xff" * 4096
    (tmp_path / "report.sqlite").write_bytes(text)
    model = nbprof.load(tmp_path / "report.sqlite", cache=False).trace().model
    assert 0 < model.tables["host"].num_rows < 4000
    (warning,) = model.warnings
    assert warning.kind == "tables that cannot be read in full"
    assert warning.count > 0
    with pytest.raises(nbprof.TraceFormatError, match="cannot be read in full"):
        nbprof.load(tmp_path / "report.sqlite", cache=False, strict=True).trace().kernels()


def test_missing_columns(tmp_path: Path) -> None:
    path = write_export(tmp_path / "report.sqlite")
    with closing(sqlite3.connect(path)) as out:
        out.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX")
        out.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN shortName")
        out.execute("ALTER TABLE OSRT_API DROP COLUMN globalTid")
        out.execute("DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET")
        out.execute("VACUUM")
    model = nbprof.load(path, cache=False).trace().model
    assert set(model.tables["device"]["grid"].to_pylist()) == {None}
    assert ("tables without needed columns", 1) in [(w.kind, w.count) for w in model.warnings]


def test_the_file_is_never_written_to(good: Path) -> None:
    before = good.read_bytes()
    good.chmod(0o444)
    nbprof.load(good, cache=False).trace().kernels()
    assert good.read_bytes() == before
    assert [one.name for one in good.parent.iterdir()] == ["good.sqlite"]


def test_a_compressed_export(good: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.sqlite.gz"
    packed.write_bytes(gzip.compress(good.read_bytes()))
    theirs = nbprof.load(good, cache=False).trace().kernels()
    assert nbprof.load(packed, cache=False).trace().kernels().equals(theirs)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my run.nsys-rep", "nsys export --type sqlite 'my run.nsys-rep'"),
        ("old.qdrep", "nsys export --type sqlite old.qdrep"),
        ("stream.qdstrm", "QdstrmImporter"),
        ("kernel.ncu-rep", "Nsight Compute"),
        ("host.xplane.pb", "XSpace of TensorFlow, JAX or PyTorch/XLA"),
        ("log.etl", "Event Tracing for Windows"),
        ("trace.rpd", "rpd2tracing.py trace.rpd trace.json"),
        ("trace.pftrace", "traceconv json trace.pftrace trace.json"),
        ("perf.data", "Linux perf"),
    ],
)
def test_files_of_other_profilers(good: Path, name: str, words: str) -> None:
    (good.parent / name).write_bytes(b"\x00\x01binary")
    reason = _only_reason(good.parent, name)
    assert words in reason
    assert "which nbprof does not read" in reason
