"""Opens a local or remote file, or one in memory, for reading."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeAlias

    from nbprof.sources.files.remote import RemotePath
    from nbprof.sources.live.memory_file import MemoryFile
    from nbprof.sources.packed.member import ArchiveMember

    #: A local or a remote file or directory.
    AnyPath: TypeAlias = Path | RemotePath

    #: The same, or a file in memory or in an archive.
    AnyFile: TypeAlias = AnyPath | MemoryFile | ArchiveMember


def open_binary(
    path: str | os.PathLike[str] | AnyFile,
) -> tuple[Any, tuple[int, int]]:
    """Open a file without a buffer, and return it with its size and version.

    Returns
    -------
    file
        An object with read, seek, tell and close.
    (int, int)
        Size and version.

    Raises
    ------
    OSError
        It cannot be opened, or is no regular file: a pipe without a writer would block for ever.
    """
    if isinstance(path, (str, os.PathLike)):
        return _open_regular(path)
    other = path.open()
    return other, other.opened


def _open_regular(path: str | os.PathLike[str]) -> tuple[Any, tuple[int, int]]:
    """Open a local file; see `open_binary`."""
    local = open(path, "rb", buffering=0, opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(local.fileno()).st_mode):
        local.close()
        message = "it is not a regular file"
        raise OSError(errno.EINVAL, message)
    return local, size_and_version(local)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def size_and_version(file: Any) -> tuple[int, int]:
    """Return the current size and version of an open file, from its time or etag."""
    if isinstance(file, io.FileIO):
        status = os.fstat(file.fileno())
        return status.st_size, status.st_mtime_ns
    found: tuple[int, int] = file.status()
    return found
