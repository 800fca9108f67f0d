"""The cache folder: private, limited in size, and never a reason to fail."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.sources.cache import cache
from nbprof.sources.cache import file as cache_file
from nbprof.sources.cache import folder as cache_folder
from tests.conftest import ROOT
from tests.sources.cache.cached import find, keep, trace_file
from tests.support.traces import read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

LOAD = """
import sys
import nbprof
from nbprof.sources.cache import cache
cache.SMALLEST_EVENTS = 0
trace = nbprof.load(sys.argv[1], progress=False).trace()
print(trace.is_read, trace._content.is_kept, trace.operators().num_rows)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that keeps small files too."""
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    return tmp_path / "cache" / "traces"


@pytest.fixture
def model(tmp_path: Path) -> TraceModel:
    return read_trace(trace_file(tmp_path / "a.json", 300))


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start Python on some code, in the checkout."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nobody_else_may_look_into_it(folder: Path, model: TraceModel) -> None:
    before = os.umask(0)
    try:
        path = keep(model, "a")
    finally:
        os.umask(before)
    assert (mode(folder.parent), mode(folder), mode(path)) == (0o700, 0o700, 0o600)


def test_a_folder_that_was_open_to_all_is_closed(folder: Path, model: TraceModel) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    folder.parent.chmod(0o755)
    keep(model, "a")
    assert mode(folder) == 0o700
    assert mode(folder.parent) == 0o755  # that one may hold what is not ours


@pytest.mark.skipif(os.name != "posix", reason="users have numbers on POSIX systems only")
def test_somebody_elses_folder_is_not_used(
    folder: Path, model: TraceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(model, "a")
    assert find("a") is not None
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert find("a") is None
    assert not cache.has("a", [1, 2], nbprof.sources.READ_ALL)
    keep(model, "b")
    cache_folder.clear()
    assert list(folder.iterdir()) == [path]


def test_without_a_place_for_it_all_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "file" / "cache"))
    trace = nbprof.load(trace_file(tmp_path / "a.json")).trace()
    assert trace.operators().num_rows == 8
    cache.finish()
    assert cache_folder.entries() == []
    assert cache_folder.clear() == []


def test_the_default_place_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NBPROF_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", os.sep + "somewhere")
    if sys.platform == "linux":
        assert str(cache_folder.root()) == os.path.join(os.sep, "somewhere", "nbprof")  # noqa: PTH118
    assert cache_folder.root().name == "nbprof"
    monkeypatch.setenv("NBPROF_CACHE_DIR", "~/x")
    assert "~" not in str(cache_folder.root())


def test_what_was_not_used_for_longest_goes(model: TraceModel) -> None:
    paths = {name: keep(model, name) for name in "abc"}
    for age, name in enumerate("cab"):
        os.utime(paths[name], (time.time() - 100 + age,) * 2)
    size = paths["a"].stat().st_size
    assert find("c") is not None  # now the last one that was used
    cache.write(model, cache._key("d", [1, 2], nbprof.sources.READ_ALL), 3 * size)
    assert [name for name in "abcd" if find(name) is not None] == ["b", "c", "d"]


def test_an_entry_that_is_too_large_is_not_written(
    folder: Path, model: TraceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(model, "a")
    cache.write(model, cache._key("b", [1, 2], nbprof.sources.READ_ALL), 1000)
    assert find("a") is not None
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("", (), {"free": 10_000}))
    keep(model, "c")
    assert [find("b"), find("c")] == [None, None]
    assert len(list(folder.iterdir())) == 1


def test_a_disk_that_fills_up_leaves_nothing_behind(
    folder: Path, model: TraceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = cache_file._CheckedWriter.write

    def fail(sink: cache_file._CheckedWriter, data: object) -> int:
        if sink._at > 5000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(sink, data)

    monkeypatch.setattr(cache_file._CheckedWriter, "write", fail)
    keep(model, "a")
    assert list(folder.iterdir()) == []
    monkeypatch.undo()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets a limit of Linux")
def test_a_file_that_may_not_grow_is_given_up(tmp_path: Path, folder: Path) -> None:
    limits = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
"""
    done = start(limits + LOAD, trace_file(tmp_path / "a.json", 300))
    assert done.communicate(timeout=60) == ("False False 8\n", None)
    assert done.returncode == 0
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="kills a process the POSIX way")
def test_what_a_killed_writer_left_goes(folder: Path, model: TraceModel) -> None:
    code = """
import time
from nbprof.sources.cache import folder as cache_folder
with cache_folder.writing("a", 100) as file:
    file.write(b"x" * 50)
    file.flush()
    print("there", flush=True)
    time.sleep(60)
"""
    writer = start(code)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "there\n"
    [part] = folder.iterdir()
    cache_folder.clean()
    assert part.exists()  # it is still being written
    writer.send_signal(signal.SIGKILL)
    writer.wait(10)
    writer.stdout.close()
    path = keep(model, "b")
    assert list(folder.iterdir()) == [path]


def test_what_nobody_goes_on_writing_goes(folder: Path, model: TraceModel) -> None:
    keep(model, "a")
    left = folder / "elsewhere-12-abc.part"  # of a machine that shares this folder
    left.write_bytes(b"x")
    cache_folder.clean()
    assert left.exists()
    os.utime(left, (time.time() - 4000,) * 2)
    cache_folder.clean()
    assert not left.exists()


def test_two_programs_at_once_both_work(tmp_path: Path, folder: Path) -> None:
    path = trace_file(tmp_path / "a.json", 2000)
    both = [start(LOAD, path) for _ in range(2)]
    for one in both:
        assert one.communicate(timeout=60)[0].endswith(" 8\n")
        assert one.returncode == 0
    assert [file.suffix for file in folder.iterdir()] == [".arrow"]
    third = start(LOAD, path)
    assert third.communicate(timeout=60)[0] == "False True 8\n"


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed elsewhere")
def test_an_entry_that_goes_while_it_is_open_stays_readable(
    folder: Path, model: TraceModel
) -> None:
    keep(model, "a")
    found = find("a")
    assert found is not None
    assert len(cache_folder.clear()) == 1
    assert list(folder.iterdir()) == []
    assert found.tables["host"].equals(model.tables["host"])


def test_nothing_is_written_beside_the_trace(tmp_path: Path) -> None:
    path = trace_file(tmp_path / "logs" / "a.json")
    path.parent.chmod(0o555)
    try:
        nbprof.load(path.parent).trace().read()
        cache.finish()
        assert list(path.parent.iterdir()) == [path]
        assert len(cache_folder.entries()) == 1
    finally:
        path.parent.chmod(0o755)


def test_whoever_reads_far_ahead_writes_himself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models that wait for being written are few, however many files are read."""
    profile = nbprof.load([trace_file(tmp_path / f"w{i}.pt.trace.json") for i in range(6)])
    for trace in profile:
        trace.read()
    assert len(cache._writer._waiting) <= 2
    assert len(cache_folder.entries()) >= 4
    cache.finish()
    assert len(cache_folder.entries()) == 6
