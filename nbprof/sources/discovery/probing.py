"""Probes a file: finds the recorder that wrote it, and reads both ends."""

from __future__ import annotations

import stat
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from nbprof.sources.discovery.head import FileStart, Head
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.recorders import RECORDERS, by_claim, without_failing

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyPath


def look(path: AnyPath) -> Head:
    """Probe a file; if it cannot be opened, the result holds the reason."""
    try:
        # The listing of a remote file is recent enough for probing; a request is slow.
        found = path.listed_stat() if isinstance(path, RemotePath) else path.stat()
        if not stat.S_ISREG(found.st_mode):
            return Head(reason="it is not a regular file")
        # Without a modification time a change would go unnoticed, so nothing is cached.
        look_at = _look if found.st_mtime_ns else _look.__wrapped__
        return look_at(path.absolute(), found.st_size, found.st_mtime_ns, RECORDERS.names())
    except OSError as error:
        return Head(reason=f"cannot be opened: {error.strerror or error}")


@lru_cache(maxsize=8192)
def _look(
    path: AnyPath,
    size: int,
    mtime_ns: int,  # noqa: ARG001 - part of the key, as the recorders are
    recorders: tuple[str, ...],  # noqa: ARG001
) -> Head:
    reason = ""
    with ByteSource(path) as source:
        start = FileStart(source, path.name, size)
        for recorder in by_claim():
            found = without_failing(recorder, recorder.look_at, start)
            if found is not None and not found.reason:
                return replace(found, format=recorder.name)
            reason = reason or (found.reason if found is not None else "")
        if not start.first:
            reason = source.damage or "it is empty"
    return Head(reason=reason or "not a trace: not JSON")
