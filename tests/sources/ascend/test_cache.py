"""Traces of several files in the cache, and the changes that invalidate them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.cli.cache import CHANGED, CURRENT, GONE, state_of
from nbprof.content import content_of, stamp_of
from nbprof.ranks.extract import RankTask, extract_rank
from nbprof.sources import READ_ALL, TraceFile, discover, read
from nbprof.sources.cache import cache
from nbprof.sources.discovery.file_version import size_and_version
from tests.sources.ascend.directories import STEPS, output_folder, table
from tests.sources.cache.cached import assert_same, find, keep
from tests.support.recordings.ascend import column, kernel_row, kernel_table

if TYPE_CHECKING:
    from pathlib import Path

STEP = "1,1,2,3,4,5,6,7,8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = output_folder(tmp_path)
    header, row = kernel_table(kernel_row("k", "1736405443881410.320", "1.5")).splitlines()
    text = table(f"{header},metric(%)", f"{row},0.5")
    (path / "kernel_details.csv").write_text(text)
    (path / "step_trace_time.csv").write_text(table(STEPS, STEP))
    (path.parent / "profiler_info_0.json").write_text('{"rank_id": 0}')
    return path


def only(source: Path) -> TraceFile:
    (file,) = discover(source).files
    return file


def test_an_entry_has_all_tables_and_their_columns(folder: Path) -> None:
    model = read(only(folder), progress=False)
    keep(model, str(folder))
    found = find(str(folder))
    assert found is not None
    assert_same(model, found)
    mine, theirs = model.tables["npu_kernels"], found.tables["npu_kernels"]
    np.testing.assert_equal(theirs.to_pydict(), mine.to_pydict())
    assert column(found, "npu_kernels", "metric(%)") == [0.5]
    assert column(found, "npu_kernels", "HF32 Eligible") == ["NO"], "a word"


def _write(path: Path) -> None:
    path.write_text(table(STEPS, STEP, "2" + STEP[1:]))


def _same_size(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace("1,1,2", "9,1,2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


CHANGES: dict[str, Any] = {
    "longer": lambda folder: _write(folder / "step_trace_time.csv"),
    "as long": lambda folder: _same_size(folder / "step_trace_time.csv"),
    "one more": lambda folder: (folder / "communication.json").write_text("{}"),
    "one less": lambda folder: (folder / "kernel_details.csv").unlink(),
    "beside": lambda folder: (folder.parent / "profiler_info_0.json").write_text('{"rank_id": 7}'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_it_is_another_trace(folder: Path, change: str) -> None:
    file = only(folder)
    before = stamp_of(file, READ_ALL)
    assert stamp_of(only(folder), READ_ALL) == before
    profile = nbprof.load(folder)
    model = profile.trace().model
    assert profile.refresh().trace().model is model
    CHANGES[change](folder)
    after = only(folder)
    assert stamp_of(after, READ_ALL) != before
    # One more file is seen by whoever looks again; all else, by whoever knows the files.
    assert (stamp_of(file, READ_ALL) == before) == (change == "one more")
    assert profile.refresh().trace().model is not model


def test_the_same_files_are_one_content(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = content_of(only(folder), READ_ALL)
    monkeypatch.chdir(folder.parent)
    assert content_of(only(folder.relative_to(folder.parent)), READ_ALL) is content
    part = only(folder / "kernel_details.csv")
    assert content_of(part, READ_ALL) is not content


def test_all_gone_is_said_as_of_one_file(folder: Path) -> None:
    file = only(folder)
    for path in (*folder.iterdir(), folder.parent / "profiler_info_0.json"):
        path.unlink()
    with pytest.raises(FileNotFoundError):
        size_and_version(file)
    assert stamp_of(file, READ_ALL)[2] == 0


def test_what_is_kept_tells_its_state(folder: Path) -> None:
    path, *state, options = stamp_of(only(folder), READ_ALL)
    key = cache._key(path, state, options)
    assert state_of(key) == CURRENT
    _same_size(folder / "step_trace_time.csv")
    assert state_of(key) == CHANGED
    for part in folder.iterdir():
        part.unlink()
    assert state_of(key) == GONE


def test_summaries_of_ranks_know_when_they_are_old(folder: Path) -> None:
    file = only(folder)
    summary = extract_rank(RankTask(file, READ_ALL, nbprof.Filter(), cache=False))
    assert summary.failure == ""
    assert summary.version == size_and_version(file)


def test_nothing_writes_over_a_part(folder: Path) -> None:
    trace = nbprof.load(folder).trace()
    with pytest.raises(FileExistsError, match="is the file that the trace was read from"):
        trace.to_chrome_trace(folder / "kernel_details.csv")


def test_the_mark_of_the_code_is_that_of_all_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path as AnyPath

    seen: list[str] = []
    plain = AnyPath.read_bytes
    cache.code_version.cache_clear()
    monkeypatch.setattr(
        AnyPath, "read_bytes", lambda self: (seen.append(self.as_posix()), plain(self))[1]
    )
    cache.code_version()
    assert any(name.endswith("sources/ascend/reading.py") for name in seen)
    assert any(name.endswith("model/trace/schema.py") for name in seen)
