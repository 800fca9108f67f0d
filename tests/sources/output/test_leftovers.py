"""What killed writers leave is removed by the next, and nothing else is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nbprof.sources.output import leftovers, temporary
from tests.cli.running import environment
from tests.sources.output.writing import SLOW, names, write

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows ends no process by signal")
LEFT = re.compile(r"\.nbprof-[0-9a-f]{16}-[0-9a-f]{16}\.part")


@contextmanager
def slow_writer(path: str, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a writer that has written half."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, path, kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("name", ["file", "x" * 255])
def test_the_next_write_removes_what_a_killed_one_left(
    folder: Path, kind: str, name: str, number: signal.Signals
) -> None:
    Path(name).write_bytes(b"old")
    with slow_writer(name, kind) as process:
        process.send_signal(number)
        process.wait()
    assert Path(name).read_bytes() == b"old"
    left = [one for one in names() if one != name]
    assert len(left) == (1 if kind == "named" else 0)
    assert all(LEFT.fullmatch(one) for one in left)
    write("another")
    assert names() == sorted([name, "another", *left]), "it is of the other file"
    write(name)
    assert names() == sorted([name, "another"])


def test_a_writer_that_lives_is_not_disturbed(folder: Path, kind: str) -> None:
    with slow_writer("file", kind) as process:
        write("file")
        assert Path("file").read_bytes() == b"new"
        process.communicate(b"\n")
        assert process.returncode == 0
    assert Path("file").read_bytes() == b"slow writer"
    assert names() == ["file"]


def test_what_looks_similar_stays(folder: Path) -> None:
    name = leftovers.new_name("file")
    similar = {
        f"{name}.bak",
        name.removesuffix(".part"),
        name.removeprefix("."),
        name.upper(),
        leftovers.new_name("File"),
        ".file.1234.part",
        ".nbprof-.part",
    }
    for one in similar:
        Path(one).write_bytes(b"mine")
    Path("mine").write_bytes(b"mine")
    link, inside, pipe = (leftovers.new_name("file") for _ in range(3))
    Path(link).symlink_to("mine")
    Path(inside).mkdir()
    os.mkfifo(pipe)
    kept = {*similar, "mine", link, inside, pipe}
    if os.geteuid() == 0:
        other = leftovers.new_name("file")
        Path(other).write_bytes(b"of another user")
        os.chown(other, 1234, 1234)
        kept.add(other)
    Path(name).write_bytes(b"left")
    write("file")
    assert set(names()) == {*kept, "file"}


def test_without_locks_the_age_decides(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "fcntl", None)
    young, old = leftovers.new_name("file"), leftovers.new_name("file")
    for one in (young, old):
        Path(one).write_bytes(b"left")
    long_ago = time.time() - 2 * 3600
    os.utime(old, (long_ago, long_ago))
    write("file")
    assert names() == sorted(["file", young])


def test_a_file_removed_before_it_is_locked_is_made_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary, "_UNNAMED", None)
    lock, tries = leftovers.lock, []

    def remove_first(handle: int) -> None:
        if not tries:
            for one in names():
                Path(one).unlink()
        tries.append(handle)
        lock(handle)

    monkeypatch.setattr(leftovers, "lock", remove_first)
    write("file")
    assert (len(tries), names()) == (2, ["file"])
