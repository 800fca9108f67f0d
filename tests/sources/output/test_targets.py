"""What a path leads to is written, and stays what it is."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.running import environment
from tests.sources.output.writing import names, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


@pytest.mark.parametrize("there", [True, False], ids=["file", "nothing"])
@pytest.mark.parametrize("absolute", [True, False])
def test_where_links_lead_is_written_and_they_stay(
    folder: Path, *, there: bool, absolute: bool
) -> None:
    (folder / "far").mkdir()
    end = folder / "far" / "end"
    if there:
        end.write_bytes(b"old")
    (folder / "second").symlink_to(end if absolute else "far/end")
    (folder / "far" / "first").symlink_to("../second")
    write("far/first")
    assert end.read_bytes() == b"new"
    assert (folder / "far" / "first").readlink() == Path("../second")
    assert (folder / "second").is_symlink()
    assert sorted(one.name for one in (folder / "far").iterdir()) == ["end", "first"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".", errno.EISDIR),
        ("", errno.EISDIR),
        ("to_folder", errno.EISDIR),
        ("new/", errno.EISDIR),
        ("file/", errno.ENOTDIR),
        ("file/x", errno.ENOTDIR),
        ("no/x", errno.ENOENT),
        ("to_nowhere", errno.ENOENT),
        ("loop", errno.ELOOP),
        ("socket", errno.ENXIO),
        ("x" * 256, errno.ENAMETOOLONG),
        ("/dev/fd/987", errno.EBADF),
        ("/dev/full", errno.ENOSPC),
    ],
)
def test_an_error_names_what_was_asked_for(folder: Path, path: str, code: int) -> None:
    if path == "/dev/full" and not Path(path).exists():
        pytest.skip("no /dev/full on this system")
    Path("file").write_bytes(b"old")
    Path("to_folder").symlink_to(folder)
    Path("to_nowhere").symlink_to("no/such")
    Path("loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        with pytest.raises(OSError, match=r".") as caught:
            write(path)
    assert (caught.value.errno, caught.value.filename) == (code, path)
    if path == "socket":
        assert caught.value.strerror == "Is a socket"
    assert Path("file").read_bytes() == b"old"
    assert names() == ["file", "loop", "socket", "to_folder", "to_nowhere"]


@pytest.mark.parametrize("character", ["x", "é"])
def test_a_name_may_be_as_long_as_the_file_system_allows(
    folder: Path, kind: str, character: str
) -> None:
    name = (character * 255).encode()[:254].decode(errors="ignore")
    name += "x" * (255 - len(name.encode()))
    for content in (b"first", b"second"):
        write(name, content)
        assert Path(name).read_bytes() == content
    assert names() == [name]


def test_a_device_stays(folder: Path) -> None:
    Path("link").symlink_to(os.devnull)
    before = Path(os.devnull).stat().st_ino
    for path in (os.devnull, "link"):
        write(path)
        status = Path(os.devnull).stat()
        assert (stat.S_ISCHR(status.st_mode), status.st_ino) == (True, before)


def test_a_named_pipe_is_written_to(folder: Path) -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    write("pipe")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("form", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/thread-self/fd/{}"])
def test_an_open_file_is_written_to_where_it_stands(folder: Path, form: str) -> None:
    with Path("log").open("ab") as log:
        path = form.format(log.fileno())
        if not Path(path).exists():
            pytest.skip("no such folder on this system")
        log.write(b"before ")
        log.flush()
        write(path)
        log.write(b" after")
    assert Path("log").read_bytes() == b"before new after"


def test_an_open_socket_is_written_to(folder: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        write(f"/dev/fd/{ours.fileno()}")
        assert theirs.recv(10) == b"new"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc on this system")
def test_what_another_process_has_open_is_not_replaced(folder: Path) -> None:
    with Path("log").open("w+b") as log:
        log.write(b"much longer than what comes")
        log.flush()
        words = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=log)
        try:
            write(f"/proc/{process.pid}/fd/1")
        finally:
            process.communicate()
        log.seek(0)
        assert log.read() == b"new"


def test_what_was_printed_before_comes_before(folder: Path) -> None:
    code = (
        "from nbprof.sources import opened\n"
        "print('before')\n"
        "with opened('/dev/stdout') as file: file.write(b'file\\n')\n"
        "print('after')"
    )
    with Path("all").open("wb") as together:
        subprocess.run([sys.executable, "-c", code], check=True, stdout=together, env=environment())
    assert Path("all").read_text().split() == ["before", "file", "after"]
