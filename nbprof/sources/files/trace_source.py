"""Opens a trace file for a reader, and reads it whole, with progress and one type of error."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import TraceFormatError, lacks_memory
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.files.opening import AnyFile

#: Bytes read at a time.
_PIECE: Final = 1 << 20


@contextmanager
def open_trace(
    path: AnyFile, progress: Progress, *, advice: str = ""
) -> Iterator[tuple[ByteSource, Reporter]]:
    """Open a trace file, and report the progress of reading it.

    Parameters
    ----------
    path : Path, RemotePath or MemoryFile
        The file.
    progress : "auto", False or callable
        See `nbprof.load`.
    advice : str, optional
        Advice for the error message if the file cannot be read.

    Yields
    ------
    ByteSource, Reporter
        The content of the file, and the reporter of the progress.

    Raises
    ------
    TraceFormatError
        The system could not read the file.
    """
    try:
        with ByteSource(path) as source, Reporter(progress, source.total, path.name) as report:
            yield source, report
    except OSError as error:
        if lacks_memory(error):
            raise
        message = f"{path} could not be read: {error.strerror or error}. {advice}".rstrip()
        raise TraceFormatError(message) from error


def whole_content(source: ByteSource, report: Reporter) -> bytes:
    """Return the rest of a file, and report the progress of reading it."""
    pieces = []
    while piece := source.read(_PIECE):
        pieces.append(piece)
        report.update(source.done)
    return b"".join(pieces)
