"""Computes the size and version of a trace over all its files, to notice changes."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Final

from nbprof.sources.files.remote import RemotePath
from nbprof.sources.packed.member import ArchiveMember

if TYPE_CHECKING:
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.files.opening import AnyFile

_VERSION_BYTES: Final = 7  # fits a signed 64-bit number


def size_and_version(file: TraceFile | Candidate, *, listed: bool = False) -> tuple[int, int]:
    """Return the size of a trace in bytes, and a number that changes when any of its files does.

    Parameters
    ----------
    file : TraceFile or Candidate
        The trace, or a candidate.
    listed : bool
        Whether the listing that found remote files is recent enough; a request for each of
        thousands of files takes minutes.

    Raises
    ------
    OSError
        The file is gone. Of several files some may be missing, which gives another version.
    """
    if not file.parts or file.parts == (file.path,):
        return _status(file.path, listed=listed)
    parts = [(part.name, *_status_or_gone(part, listed=listed)) for part in file.parts]
    if all(size < 0 for _, size, _ in parts):
        return _status(file.parts[0], listed=listed)  # raises the error
    size = sum(max(bytes_, 0) for _, bytes_, _ in parts)
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=_VERSION_BYTES).digest()
    return size, int.from_bytes(digest, "big")


def _status_or_gone(path: AnyFile, *, listed: bool) -> tuple[int, int]:
    try:
        return _status(path, listed=listed)
    except OSError:
        return -1, -1


def _status(path: AnyFile, *, listed: bool) -> tuple[int, int]:
    if isinstance(path, ArchiveMember):
        return path.size, _status(path.archive, listed=listed)[1]
    if not isinstance(path, RemotePath):
        status = path.stat()
        return status.st_size, status.st_mtime_ns
    found = path.listed_stat() if listed else path.stat()
    # Without a modification time, no two versions are equal.
    version = found.st_mtime_ns if listed else found.st_mtime_ns or -time.monotonic_ns()
    return found.st_size, version
