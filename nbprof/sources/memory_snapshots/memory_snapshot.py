"""Reads the snapshots of the CUDA caching allocator that `torch.cuda.memory._dump_snapshot` writes.

A snapshot is a pickle of the allocator's segments and blocks at one moment and, where the history
was recorded, of what led there. Memory counts as in use from the allocation until the allocator has
it back, also while other streams still work with it; sizes are those that were asked for.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import TraceFormatError
from nbprof.sources.faults import Faults
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.memory_snapshots.plain_pickle import PlainPickleError, load_plain
from nbprof.sources.memory_snapshots.tables import snapshot_model
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile

FORMAT: Final = "PyTorch memory snapshot"

#: The first byte of all pickles but those of very old protocols.
PICKLE_START: Final = b"\x80"

#: Keys of a snapshot; one of them is the first thing in the file.
_KEYS: Final = (b"segments", b"device_traces")
_NEAR_START: Final = 256


def looks_like_snapshot(text: bytes) -> bool:
    """Whether a pickle may be a snapshot, by its first bytes."""
    return any(key in text[:_NEAR_START] for key in _KEYS)


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a snapshot.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Such a file is always read whole.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.

    Raises
    ------
    TraceFormatError
        It is no snapshot, or holds more than plain containers, strings and numbers.
    """
    path = str(file.path)
    try:
        name = file.path.name
        with ByteSource(file.path) as source, Reporter(progress, source.total, name) as report:
            content = _load(path, source, report)
    except OSError as error:
        message = f"{path} could not be read: {error.strerror or error}."
        raise TraceFormatError(message) from error
    return snapshot_model(content, Faults(path, strict=options.strict), FORMAT)


def _load(path: str, source: ByteSource, report: Reporter) -> dict[str, Any]:
    try:
        content = load_plain(io.BufferedReader(_Stream(source, report), 1 << 20))
    except PlainPickleError as error:
        reason = source.damage or str(error)
        message = f"{path} is not read as a memory snapshot: {reason}."
        raise TraceFormatError(message) from error
    if not isinstance(content, dict) or not {"segments", "device_traces"} & content.keys():
        message = f"{path} is a pickle, but no memory snapshot: it holds {_what(content)}."
        raise TraceFormatError(message)
    return content


def _what(content: Any) -> str:
    if isinstance(content, dict):
        keys = ", ".join(repr(key)[:40] for key in list(content)[:5])
        return f"a dict with the keys {keys}" if content else "an empty dict"
    return f"a {type(content).__name__}"


class _Stream(io.RawIOBase):
    """The unpacked bytes of a file, telling how far reading has come."""

    def __init__(self, source: ByteSource, report: Reporter) -> None:
        super().__init__()
        self._source = source
        self._report = report

    def readable(self) -> bool:
        """Whether this can be read: always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; nothing at the end."""
        view = memoryview(buffer)
        piece = self._source.read(len(view))
        view[: len(piece)] = piece
        self._report.update(self._source.done)
        return len(piece)
