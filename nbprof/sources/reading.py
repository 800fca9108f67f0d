"""`read`: reads a file of any format, with the reader of its recorder, and checks its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import NbprofError, OutOfMemoryError, TraceFormatError
from nbprof.model.trace.dialect import PLAIN
from nbprof.registry import resolved
from nbprof.sources.defects import DefectLog
from nbprof.sources.limits.numbers import within_limits
from nbprof.sources.options import ReadOptions
from nbprof.sources.parts.prefilter import reduced
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress


def is_whole(file: TraceFile) -> bool:
    """Return whether the end of a file is there, as far as a look at its ends tells.

    Parameters
    ----------
    file : TraceFile
        A file found by `discover`; of a directory of files, only reading tells.
    """
    look = RECORDERS[file.format].is_whole
    return look is not None and not file.parts and resolved(look)(file.path)


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
        A file found by `discover`.
    options : ReadOptions, optional
        Which part of it to read; by default everything.
    strict : bool
        Without options: raise at the first irregularity instead of repairing and counting it.
    progress : "auto", False or callable
        ``"auto"`` shows a bar if reading takes over a second; a function is called with (bytes
        done, total bytes, what is being read).
    **details
        Further arguments for the readers of nbprof's own recorders.

    Raises
    ------
    TraceFormatError
        Nothing of the file can be read or, if strict, not all of it.
    OutOfMemoryError
        There is not enough memory for it.
    """
    options = ReadOptions(strict=strict) if options is None else options
    recorder = RECORDERS[file.format]
    told = _Told(progress)
    try:
        model = recorder.reader(file, options, progress=told.progress, **details)
        model = within_limits(model, DefectLog(str(file.path), strict=options.strict))
    except NbprofError:
        raise
    except Exception as error:
        if error is told.failure:
            raise
        no_room = OutOfMemoryError.of(f"{file.path} could not be read", error)
        if no_room is not None:
            raise no_room from error
        reason = f"the recorder {recorder.name!r} failed. {type(error).__name__}: {error}."
        message = f"{file.path} could not be read: {reason}"
        raise TraceFormatError(message) from error
    if RECORDERS.is_own(file.format):
        return model
    if model.dialect is PLAIN:
        model.dialect = recorder.dialect
    model.metadata = {**model.metadata, "format": recorder.name}
    return reduced(model, options.filter)


class _Told:
    """Calls the progress function of the caller, and stores the error that it raises.

    This error is passed on to the caller unchanged; all other errors concern the file.

    Attributes
    ----------
    progress : "auto", False or callable
        The function to pass to a reader.
    failure : BaseException or None
        The error that the function of the caller raised.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress: Progress = self._tell if callable(progress) else progress
        self.failure: BaseException | None = None
        self._function: Any = progress

    def _tell(self, done: int, total: int, text: str) -> None:
        try:
            self._function(done, total, text)
        except BaseException as error:
            self.failure = error
            raise
