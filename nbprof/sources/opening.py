"""Opening a file for reading, wherever it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbprof.sources.remote import RemotePath
from nbprof.sources.remote_file import RemoteFile

if TYPE_CHECKING:
    from typing import TypeAlias

    #: A file of this machine, or one elsewhere.
    AnyPath: TypeAlias = Path | RemotePath


def open_binary(path: str | os.PathLike[str] | RemotePath) -> tuple[Any, tuple[int, int]]:
    """Open a file without a buffer, and return what `size_and_version` says of it too.

    Returns
    -------
    file
        It has read, seek, tell and close.
    (int, int)
        Size and version.

    Raises
    ------
    OSError
        It cannot be opened.
    """
    if isinstance(path, RemotePath):
        remote = path.open()
        return remote, remote.opened
    local = Path(path).open("rb", buffering=0)  # noqa: SIM115 - whoever asked closes it
    return local, size_and_version(local)


def size_and_version(file: Any) -> tuple[int, int]:
    """Return how large an open file is now, and what changes when it does: its time, or etag."""
    if isinstance(file, RemoteFile):
        return file.status()
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns
