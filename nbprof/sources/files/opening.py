"""Opens a local or remote file for reading."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeAlias

    from nbprof.sources.files.remote import RemotePath

    #: A local or a remote file.
    AnyPath: TypeAlias = Path | RemotePath


def open_binary(path: str | os.PathLike[str] | RemotePath) -> tuple[Any, tuple[int, int]]:
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
        It cannot be opened.
    """
    if isinstance(path, (str, os.PathLike)):
        local = Path(path).open("rb", buffering=0)  # noqa: SIM115 - the caller closes it
        return local, size_and_version(local)
    remote = path.open()
    return remote, remote.opened


def size_and_version(file: Any) -> tuple[int, int]:
    """Return the current size and version of an open file, from its time or etag."""
    if isinstance(file, io.FileIO):
        status = os.fstat(file.fileno())
        return status.st_size, status.st_mtime_ns
    found: tuple[int, int] = file.status()
    return found
