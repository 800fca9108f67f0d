"""The formats that can be read, by the names that discovery gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.ascend import reading as ascend
from nbprof.sources.kineto import reading as kineto
from nbprof.sources.memory_snapshots import memory_snapshot, memory_timeline
from nbprof.sources.options import ReadOptions
from nbprof.sources.paddle import reading as paddle

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress

_READERS: Final[dict[str, Callable[..., TraceModel]]] = {
    kineto.FORMAT: kineto.read,
    memory_snapshot.FORMAT: memory_snapshot.read,
    memory_timeline.FORMAT: memory_timeline.read,
    ascend.FORMAT: ascend.read,
    paddle.FORMAT: paddle.read,
}

#: Formats that hold nothing but memory: in a run they come after the traces.
MEMORY_FORMATS: Final = frozenset({memory_snapshot.FORMAT, memory_timeline.FORMAT})


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
        What the reader of the format knows besides.

    Raises
    ------
    TraceFormatError
        Nothing of the file can be read; or, if strict, not all of it.
    """
    options = ReadOptions(strict=strict) if options is None else options
    return _READERS[file.format](file, options, progress=progress, **details)
