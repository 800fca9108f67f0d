"""A file is replaced as a whole, by one with the same rights."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from nbprof.sources import opened
from tests.cli.running import environment
from tests.sources.output.writing import names, write

if TYPE_CHECKING:
    from collections.abc import Iterator

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
NOBODY = 65534


def mode(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Give up what only root may do for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def test_readers_see_the_old_or_the_new_file(folder: Path, kind: str) -> None:
    Path("file").write_bytes(b"old")
    with opened("file") as file:
        file.write(b"new")
        file.flush()
        assert Path("file").read_bytes() == b"old"
        assert len(names()) == (2 if kind == "named" else 1)
    assert Path("file").read_bytes() == b"new"
    assert names() == ["file"]


@pytest.mark.parametrize("there", [True, False])
def test_what_fails_in_between_changes_nothing(folder: Path, kind: str, *, there: bool) -> None:
    if there:
        Path("file").write_bytes(b"old")
    before = names()
    error = OSError(errno.EIO, "Input/output error", "another file")
    for wrong in (ValueError("wrong"), KeyboardInterrupt(), error):
        with pytest.raises(type(wrong)) as caught, opened("file") as file:  # noqa: PT012
            file.write(b"half")
            raise wrong
        assert caught.value is wrong, "it is not about the file"
    assert names() == before
    assert not there or Path("file").read_bytes() == b"old"


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o000])
def test_a_new_file_has_the_usual_rights(folder: Path, kind: str, mask: int) -> None:
    before = os.umask(mask)
    try:
        write("file")
        Path("usual").touch()
    finally:
        os.umask(before)
    assert mode("file") == mode("usual") == 0o666 & ~mask


@posix
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o664, 0o666, 0o444, 0o755, 0o000])
def test_a_replaced_file_keeps_its_mode(folder: Path, kind: str, rights: int) -> None:
    Path("file").write_bytes(b"old")
    Path("file").chmod(rights)
    with opened("file") as file:
        file.write(b"new")
        assert all(mode(name) & ~rights & 0o077 == 0 for name in names()), "meanwhile, too"
    assert mode("file") == rights
    Path("file").chmod(0o600)
    assert Path("file").read_bytes() == b"new"


@posix
def test_the_mode_is_that_of_the_end(folder: Path, kind: str) -> None:
    Path("file").write_bytes(b"old")
    Path("file").chmod(0o644)
    with opened("file"):
        Path("file").chmod(0o600)
    assert mode("file") == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away")
def test_the_owner_is_kept_or_nobody_gains(folder: Path, kind: str) -> None:
    Path("file").write_bytes(b"old")
    os.chown("file", 1234, 1235)
    write("file")
    status = Path("file").stat()
    assert (status.st_uid, status.st_gid) == (1234, 1235)
    Path("file").chmod(0o640)
    folder.chmod(0o777)
    with without_privileges():
        write("file", b"by nobody")
    status = Path("file").stat()
    assert (status.st_uid, status.st_gid) == (NOBODY, NOBODY)
    assert mode("file") == 0o600, "the other group had no right to read it"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Linux keeps access lists so")
def test_an_access_list_is_kept_and_none_is_added(folder: Path, kind: str) -> None:
    def rules(
        mask: int,
    ) -> bytes:  # the owner all, user 1234 all, the group nothing, others nothing
        entries = [(1, 7, -1), (2, 7, 1234), (4, 0, -1), (16, mask, -1), (32, 0, -1)]
        return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *one) for one in entries)

    name = "system.posix_acl_access"
    Path("listed").write_bytes(b"old")
    Path("plain").write_bytes(b"old")
    Path("plain").chmod(0o660)
    try:
        os.setxattr("listed", name, rules(6))
        os.setxattr(".", "system.posix_acl_default", rules(7))
    except OSError:
        pytest.skip("no access lists on this file system")
    for file in ("listed", "plain"):
        write(file)
    assert os.getxattr("listed", name) == rules(6)
    with pytest.raises(OSError, match="No data"):
        os.getxattr("plain", name)
    assert mode("plain") == 0o660


@posix
def test_a_file_in_a_closed_folder_is_written_in_place(folder: Path, kind: str) -> None:
    Path("file").write_bytes(b"old and longer")
    Path("other").write_bytes(b"old")
    Path("file").chmod(0o666)
    Path("other").chmod(0o444)
    Path("link").symlink_to("file")
    folder.chmod(0o555)
    number = Path("file").stat().st_ino
    try:
        with without_privileges():
            with pytest.raises(ZeroDivisionError), opened("file") as file:
                file.write(b"%d" % (1 / 0))
            assert Path("file").read_bytes() == b"old and longer"
            write("link")
            for name in ("other", "none"):
                with pytest.raises(PermissionError) as caught, opened(name):
                    pytest.fail("it is found out before anything is made")
                assert caught.value.filename == name
    finally:
        folder.chmod(0o755)
    assert Path("file").read_bytes() == b"new"
    assert Path("file").stat().st_ino == number
    assert Path("other").read_bytes() == b"old"
    assert names() == ["file", "link", "other"]


@posix
@pytest.mark.parametrize("code", [errno.EBUSY, errno.EPERM, errno.ENOSPC])
def test_a_file_that_cannot_be_exchanged_is_written_in_place(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(self: Path, target: Path) -> NoReturn:
        raise OSError(code, os.strerror(code), str(self), None, str(target))

    Path("file").write_bytes(b"old and longer")
    monkeypatch.setattr(Path, "replace", refuse)
    if code == errno.ENOSPC:
        with pytest.raises(OSError, match=r"No space left on device: 'file'$"):
            write("file")
        assert Path("file").read_bytes() == b"old and longer"
    else:
        write("file")
        assert Path("file").read_bytes() == b"new"
    assert names() == ["file"]


@posix
def test_a_file_that_may_not_be_named_is_copied(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "link", refuse)
    before = os.umask(0o027)
    try:
        write("file")
    finally:
        os.umask(before)
    assert (Path("file").read_bytes(), mode("file")) == (b"new", 0o640)
    assert names() == ["file"]


@posix
def test_a_full_disk_leaves_the_old_file(folder: Path, kind: str) -> None:
    Path("file").write_bytes(b"old")
    code = (
        "import os, resource, sys\n"
        "from nbprof.sources.output import temporary\n"
        "if sys.argv[1] == 'named': temporary._UNNAMED = None\n"
        "from nbprof.sources import opened\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6))\n"
        "for size in (10**7, 10**6 + 10):\n"
        "    try:\n"
        "        with opened('file') as file: file.write(bytes(10)); file.write(bytes(size))\n"
        "    except OSError as error: print(error.filename, os.listdir())\n"
    )
    words = [sys.executable, "-c", code, kind]
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment())
    assert done.stdout == "file ['file']\n" * 2
    assert Path("file").read_bytes() == b"old"


def test_many_write_at_once(folder: Path, kind: str) -> None:
    contents = [bytes([65 + number]) * 300_000 for number in range(6)]
    wrong: list[Exception] = []

    def repeat(content: bytes) -> None:
        try:
            for _ in range(20):
                with opened("file") as file:
                    for at in range(0, len(content), 100_000):
                        file.write(content[at : at + 100_000])
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise it to
            wrong.append(error)

    threads = [threading.Thread(target=repeat, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if Path("file").exists() and sys.platform != "win32":
            assert Path("file").read_bytes() in contents
    assert wrong == []
    assert names() == ["file"]


@pytest.mark.parametrize("name", ["file.gz", "file.JSON.GZ"])
def test_what_ends_in_gz_is_compressed(folder: Path, kind: str, name: str) -> None:
    write(name)
    assert gzip.decompress(Path(name).read_bytes()) == b"new"
