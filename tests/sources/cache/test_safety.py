"""The cache where others can write, where nobody can, and during an update of the program."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources import READ_ALL
from nbprof.sources.cache import cache
from nbprof.sources.cache import folder as cache_folder
from tests.conftest import ROOT
from tests.sources.cache.cached import STATE, find, keep, trace_file
from tests.support.traces import read_trace

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

posix = pytest.mark.skipif(os.name != "posix", reason="users and links are those of POSIX systems")
#: Somebody else.
NOBODY = 65534


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that keeps small files too."""
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    return tmp_path / "cache" / "traces"


@pytest.fixture
def model(tmp_path: Path) -> TraceModel:
    return read_trace(trace_file(tmp_path / "a.json", 300))


@posix
def test_a_link_in_its_place_leads_nowhere(tmp_path: Path, folder: Path, model: TraceModel) -> None:
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o755)
    names = {"data.arrow", "download.part"}
    for name in names:
        (mine / name).write_text("x")
        os.utime(mine / name, (1, 1))
    folder.parent.mkdir()
    folder.symlink_to(mine)
    keep(model, "a")
    cache_folder.make_room(0)
    cache_folder.clear()
    assert {path.name for path in mine.iterdir()} == names
    assert mine.stat().st_mode & 0o777 == 0o755
    assert find("a") is None
    assert "set NBPROF_CACHE_DIR" in cache_folder.problem()


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away")
class TestSomebodyElse:
    """With files that really belong to another user."""

    def test_an_entry_that_others_put_there_is_not_read(self, model: TraceModel) -> None:
        path = keep(model, "a")
        assert find("a") is not None
        os.chown(path, NOBODY, NOBODY)
        assert find("a") is None
        assert cache_folder.entries(with_keys=True)[0].key == {}

    def test_a_folder_that_may_not_be_entered_is_left_alone(
        self, folder: Path, model: TraceModel
    ) -> None:
        keep(model, "a")
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            keep(model, "b")
            assert find("a") is None
            assert not cache.has("a", STATE, READ_ALL)
            assert cache_folder.clear() == []
            assert "cannot be written to; set NBPROF_CACHE_DIR" in cache_folder.problem()
        finally:
            os.setresuid(0, 0, 0)
        assert len(list(folder.iterdir())) == 1
        assert cache_folder.problem() == ""


def test_without_a_home_nothing_is_written(
    tmp_path: Path, model: TraceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    import platformdirs

    monkeypatch.delenv("NBPROF_CACHE_DIR")
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    # What it gives where there is neither HOME nor an entry for the user, as in some containers.
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: Path("~/.cache/nbprof"))
    keep(model, "a")
    assert set(tmp_path.iterdir()) == before
    assert find("a") is None
    assert cache_folder.problem().startswith("there is no home directory")


def test_a_user_that_is_not_known_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NBPROF_CACHE_DIR", "~nobody-of-that-name/x")
    assert nbprof.load(trace_file(tmp_path / "b.json")).trace().operators().num_rows == 8
    monkeypatch.setenv("NBPROF_CACHE_DIR", "beside")
    assert cache_folder.root() == tmp_path / "beside"
    cache.finish()


def test_where_no_thread_can_be_started_it_is_written_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "nbprof":
            raise RuntimeError
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    for name in ("b", "c"):
        nbprof.load(trace_file(tmp_path / f"{name}.json"), progress=False).trace().read()
    assert len(cache_folder.entries()) == 2


def test_whatever_goes_wrong_the_next_one_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError

    with monkeypatch.context() as patch:
        patch.setattr(cache.cache_file, "write", fail)
        nbprof.load(trace_file(tmp_path / "b.json"), progress=False).trace().read()
        cache.finish()
    assert cache_folder.entries() == []
    nbprof.load(trace_file(tmp_path / "c.json"), progress=False).trace().read()
    cache.finish()
    assert len(cache_folder.entries()) == 1


def test_all_together_stay_within_the_limit(model: TraceModel) -> None:
    size = keep(model, "a").stat().st_size
    for name in "bcd":
        cache.write(model, cache._key(name, STATE, READ_ALL), 2 * size - 10)
        assert sum(entry.bytes for entry in cache_folder.entries()) <= 2 * size - 10
    assert find("d") is not None


def test_the_whole_is_there_for_its_parts(model: TraceModel) -> None:
    keep(model, "a")
    part = replace(READ_ALL, steps=(1, 2))
    assert find("a", part) is not None
    assert cache.has("a", STATE, part)
    assert not cache.has("a", STATE, replace(READ_ALL, without=("python",)))


def test_the_code_that_counts_is_the_one_that_runs() -> None:
    """An update while a kernel runs changes the files, not what the kernel does."""
    code = "from nbprof.sources.cache import cache; print(cache.code_version.cache_info().currsize)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
