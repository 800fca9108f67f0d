"""Reads a file with the recorder that wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import NbprofError, TraceFormatError
from nbprof.model.trace.dialect import PLAIN
from nbprof.sources.options import ReadOptions
from nbprof.sources.parts.prefilter import reduced
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress
    from nbprof.sources.recorder import Recorder


def read(
    file: TraceFile,
    options: ReadOptions | None = None,
    *,
    strict: bool = False,
    progress: Progress = "auto",
    **details: Any,
) -> TraceModel:
    """Read a file of any format.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions, optional
        What is taken of it; by default everything.
    strict : bool
        Without options: raise at the first irregularity instead of repairing and counting it.
    progress : "auto", False or callable
        ``"auto"`` shows a bar if reading takes over a second; a function is called with (bytes
        done, bytes in all, what is being read).
    **details
        What the reader of the format knows besides; of nbprof's own recorders only.

    Raises
    ------
    TraceFormatError
        Nothing of the file can be read; or, if strict, not all of it.
    """
    options = ReadOptions(strict=strict) if options is None else options
    recorder = RECORDERS[file.format]
    if RECORDERS.is_own(file.format):
        return recorder.read(file, options, progress=progress, **details)
    return _read_foreign(recorder, file, options, progress)


def _read_foreign(
    recorder: Recorder, file: TraceFile, options: ReadOptions, progress: Progress
) -> TraceModel:
    """Read a file with a recorder of another package, whatever that does."""
    try:
        model = recorder.read(file, options, progress=progress)
    except NbprofError:
        raise
    except Exception as error:
        reason = f"the recorder {recorder.name!r} failed. {type(error).__name__}: {error}."
        message = f"{file.path} could not be read: {reason}"
        raise TraceFormatError(message) from error
    if model.dialect is PLAIN:
        model.dialect = recorder.dialect
    model.metadata = {**model.metadata, "format": recorder.name}
    return reduced(model, options.filter)
