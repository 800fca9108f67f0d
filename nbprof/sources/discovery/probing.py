"""Probes a file: finds the recorder that wrote it, and reads both ends."""

from __future__ import annotations

import stat
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from nbprof.sources.discovery.head import FileStart, Head
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.packed.member import ArchiveMember
from nbprof.sources.packed.names import (
    archive_by_content,
    is_tar_name,
    unpacked_name,
    unread_format,
)
from nbprof.sources.recorders import RECORDERS, by_claim, other_file, without_failing

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyFile

#: The beginning of files that stand for large ones in repositories.
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_IS_POINTER: Final = (
    "it is a pointer of Git LFS in place of the file; get the file itself with git lfs pull"
)


def probe(path: AnyFile) -> Head:
    """Probe a file; if it cannot be opened, the result holds the reason."""
    try:
        # The listing of a remote file is recent enough for probing; a request is slow.
        status = path.listed_stat() if isinstance(path, RemotePath) else path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Head(reason="it is not a regular file")
        # Without a modification time a change would go unnoticed, so nothing is cached. A file in
        # memory would be kept alive.
        kept = status.st_mtime_ns and not isinstance(path, MemoryFile)
        look_at = _probe if kept else _probe.__wrapped__
        return look_at(path.absolute(), status.st_size, status.st_mtime_ns, RECORDERS.names())
    except OSError as error:
        return Head(reason=f"cannot be opened: {error.strerror or error}")


@lru_cache(maxsize=8192)
def _probe(
    path: AnyFile,
    size: int,
    mtime_ns: int,  # noqa: ARG001 - part of the key, as the recorders are
    recorders: tuple[str, ...],  # noqa: ARG001
) -> Head:
    reason = ""
    with ByteSource(path) as source:
        start = FileStart(source, path.name, size, path)
        if archive := archive_by_content(start.text):
            return _of_archive(path, archive, source.packing)
        for recorder in by_claim():
            head = without_failing(recorder, recorder.look_at, start)
            if head is not None and not head.reason:
                return replace(head, format=recorder.name)
            reason = reason or (head.reason if head is not None else "")
        if not start.first:
            reason = source.damage or "it is empty"
        elif start.text.startswith(_POINTER):
            reason = _IS_POINTER
        elif (other := other_file(unpacked_name(path.name))) is not None:
            reason = other.reason(unpacked_name(path.name))
        elif is_tar_name(path.name) and start.first not in {b"{", b"["}:
            return _of_archive(path, "tar", source.packing)
        reason = reason or unread_format(start.text)
    return Head(reason=reason or "not a trace: not JSON")


def _of_archive(path: AnyFile, archive: str, packing: str) -> Head:
    """Return the head of an archive; one that would have to be unpacked first is not read."""
    if isinstance(path, (MemoryFile, ArchiveMember)) or (packing and archive == "zip"):
        inside = "an archive" if isinstance(path, ArchiveMember) else "a compressed file"
        return Head(reason=f"it is a {archive} archive in {inside}; unpack it, and pass that")
    return Head(reason=f"it is a {archive} archive", archive=archive)
