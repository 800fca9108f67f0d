"""Reads a file of the Paddle profiler, JSON or protobuf, into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.errors import TraceFormatError
from nbprof.sources.chrome.windows import WINDOW
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.paddle.assembly import FORMAT, build
from nbprof.sources.paddle.chrome.reading import read_json
from nbprof.sources.paddle.probing import is_protobuf
from nbprof.sources.paddle.protobuf.reading import read_protobuf
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile

#: Bytes that distinguish the forms of files.
_START = 64

__all__ = ["FORMAT", "read"]


def read(
    file: TraceFile,
    options: ReadOptions = READ_ALL,
    *,
    progress: Progress = "auto",
    window: int = WINDOW,
) -> TraceModel:
    """Read a file.

    Parameters
    ----------
    file : TraceFile
        The file, as found by `discover`.
    options : ReadOptions
        Unused: the file is always read completely.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.
    window : int
        Bytes of JSON that are decoded in one go.

    Raises
    ------
    TraceFormatError
        The file cannot be read, or, if strict, not all of it.
    """
    path = str(file.path)
    try:
        with ByteSource(file.path) as source:
            is_binary = is_protobuf(source.read(_START))
        name = file.path.name
        with ByteSource(file.path) as source, Reporter(progress, source.total, name) as report:
            defects = DefectLog(path, strict=options.strict)
            if is_binary:
                parts = read_protobuf(source, defects, report)
            else:
                parts = read_json(source, defects, report, window)
            if source.changed:
                message = (
                    f"{path} changed while it was read. "
                    "Wait until it is complete and call profile.refresh()."
                )
                raise TraceFormatError(message)
    except OSError as error:
        message = f"{path} could not be read: {error.strerror or error}."
        raise TraceFormatError(message) from error
    return build(parts)
