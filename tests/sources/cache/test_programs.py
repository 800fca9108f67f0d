"""Several programs on one cache, killed ones among them, and homes that nobody may write to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nbprof.sources.cache import folder as cache_folder
from tests.conftest import ROOT
from tests.sources.cache.cached import trace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., subprocess.Popen[str]]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="removes open files, kills programs")

#: Opens a file over and over, from the cache where it is there, and prints what became of it.
LOAD = """
import gc, sys
import nbprof
from nbprof.sources.cache import cache
cache.SMALLEST_EVENTS = 0
for _ in range(int(sys.argv[2])):
    trace = nbprof.load(sys.argv[1], progress=False).trace()
    kept = trace._content.is_kept
    table = trace.operators()
    cache.finish()
    print("kept" if kept else "read", sum(table["calls"].to_pylist()), flush=True)
    del trace, table
    gc.collect()
"""

#: Empties the cache until its stdin is closed, and prints how often it found something.
CLEAR = """
import select, sys
from nbprof.sources.cache import folder
found = 0
print("begun", flush=True)
while not select.select([sys.stdin], [], [], 0.03)[0]:
    found += bool(folder.clear())
print(found)
"""

#: Shows a profile and writes a page, as a notebook would.
SHOW = """
import sys
import nbprof
from nbprof.sources.cache import cache
cache.SMALLEST_EVENTS = 0
view = nbprof.show(sys.argv[1])
view.to_html(sys.argv[2])
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "traces"


@pytest.fixture
def start() -> Iterator[Start]:
    """Start Python on some code; what still runs after the test is ended."""
    with ExitStack() as stack:

        def begin(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
            program = subprocess.Popen(
                [sys.executable, "-c", code, *map(str, arguments)],
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(program)
            stack.callback(program.kill)
            return program

        yield begin


def test_one_clears_while_two_others_load(start: Start, tmp_path: Path, cache: Path) -> None:
    path = trace_file(tmp_path / "a.json", 1500)
    clearing = start(CLEAR)
    assert clearing.stdout is not None
    assert clearing.stdout.readline() == "begun\n"
    loading = [start(LOAD, path, 12) for _ in range(2)]
    for one in loading:
        out, err = one.communicate()
        assert (one.returncode, err) == (0, "")
        assert [line.split()[1] for line in out.splitlines()] == ["1501"] * 12
    found, err = clearing.communicate()
    assert (clearing.returncode, err) == (0, "")
    assert int(found) > 0
    cache_folder.clear()
    assert list(cache.iterdir()) == []


def test_whenever_one_is_killed_the_next_reads_what_is_right(
    start: Start, tmp_path: Path, cache: Path
) -> None:
    path = trace_file(tmp_path / "a.json", 4000)
    seen = set()
    for turn in range(6):
        killed = start(LOAD, path, 1000)
        assert killed.stdout is not None
        killed.stdout.readline()
        cache_folder.clear()
        while not any(cache.iterdir()):  # until it writes once more
            time.sleep(0.0002)
        time.sleep(0.002 * turn)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        seen |= {file.suffix for file in cache.iterdir()}
        after = start(LOAD, path, 2)
        out, err = after.communicate()
        assert (after.returncode, err) == (0, "")
        assert [line.split()[1] for line in out.splitlines()] == ["4001"] * 2
        assert out.splitlines()[1].split()[0] == "kept"
        cache_folder.clean()
        assert [file.suffix for file in cache.iterdir()] == [".arrow"]
    assert seen


@pytest.mark.parametrize("home", ["/proc/self", "missing", "not writable"])
def test_a_home_that_nobody_may_write_to(
    start: Start, tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if home.startswith("/") and not Path(home).is_dir():
        pytest.skip(f"there is no {home}")
    if not home.startswith("/"):
        place = tmp_path / "closed"
        place.mkdir(mode=0o555)
        home = str(place if home == "not writable" else place / "missing")
    monkeypatch.delenv("NBPROF_CACHE_DIR")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    path = trace_file(tmp_path / "a.json", 50)
    for code, argument in ((LOAD, "1"), (SHOW, tmp_path / "page.html")):
        done = start(code, path, argument, HOME=home)
        _, err = done.communicate()
        assert (done.returncode, err) == (0, "")
    assert (tmp_path / "page.html").stat().st_size
