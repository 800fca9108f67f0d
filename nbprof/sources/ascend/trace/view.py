"""Reads a `trace_view.json`: slices, counters and flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.sources.ascend.trace.columns import TraceRows, columns_of
from nbprof.sources.ascend.trace.events import Decoder
from nbprof.sources.ascend.trace.process_names import guess_names
from nbprof.sources.ascend.trace.rows import Rows
from nbprof.sources.chrome.windows import WINDOW, EventWindows
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.parallel.reading import helpers_for
from nbprof.sources.parts.event_selection import EventSelection

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.opening import AnyPath
    from nbprof.sources.options import ReadOptions

__all__ = ["TraceRows", "read_trace"]


def read_trace(
    path: AnyPath,
    options: ReadOptions,
    defects: DefectLog,
    report: Callable[[int], None],
    *,
    window: int = WINDOW,
    processes: int | None = None,
) -> TraceRows | None:
    """Read the file.

    Parameters
    ----------
    path : path
        The file.
    options : ReadOptions
        Which part of the file is read.
    defects : DefectLog
        Counts irregularities.
    report : callable
        Called with the number of bytes read so far.
    window : int
        Bytes of JSON to decode at a time.
    processes : int, optional
        Maximum number of processes that read the file; by default as many as pay off.

    Returns
    -------
    TraceRows or None
        None if it contains no events.

    Raises
    ------
    OSError
        It cannot be read.
    TraceFormatError
        It is not a JSON array of events or, if strict, contains irregularities.
    """
    with ByteSource(path) as source:
        windows = EventWindows(source, defects, window=window, decoder=Decoder)
        frames = "python" not in options.without
        rows = Rows(defects, frames=frames)
        team = helpers_for(
            source,
            windows,
            path=path,
            defects=defects,
            window=window,
            selection=EventSelection(frames=frames),
            rows=Rows,
            processes=processes,
        )
        with team as helpers:
            helpers.collect(source, windows, rows, report)
        windows.header()
        if source.changed:
            raise defects.changed()
        trace = columns_of(rows)
        if trace is not None:
            guess_names(trace, defects)
        return trace
