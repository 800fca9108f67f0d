"""Reads a file of the Paddle profiler, JSON or protobuf, into a `TraceModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.sources.chrome.windows import WINDOW
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.trace_source import open_trace
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.paddle.assembly import build
from nbprof.sources.paddle.chrome.reading import read_json
from nbprof.sources.paddle.probing import is_protobuf
from nbprof.sources.paddle.protobuf.reading import read_protobuf

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress

#: Bytes that distinguish the forms of files.
_START = 64


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
    defects = DefectLog(str(file.path), strict=options.strict)
    with open_trace(file.path, progress=False) as (source, _):
        is_binary = is_protobuf(source.read(_START))
    with open_trace(file.path, progress) as (source, report):
        if is_binary:
            parts = read_protobuf(source, defects, report)
        else:
            parts = read_json(source, defects, report, window)
        if source.changed:
            raise defects.changed()
    return build(parts)
