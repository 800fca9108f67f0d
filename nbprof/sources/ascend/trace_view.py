"""Reads `trace_view.json`: what ran when on threads, streams and planes, counters and arrows."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from nbprof.sources.ascend.trace_columns import TraceRows, columns_of
from nbprof.sources.ascend.trace_events import Decoder
from nbprof.sources.ascend.trace_rows import Rows
from nbprof.sources.bytesource import ByteSource
from nbprof.sources.windows import WINDOW, EventWindows

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.faults import Faults
    from nbprof.sources.opening import AnyPath
    from nbprof.sources.options import ReadOptions

__all__ = ["TraceRows", "read_trace"]


def read_trace(
    path: AnyPath,
    options: ReadOptions,
    faults: Faults,
    report: Callable[[int], None],
    *,
    window: int = WINDOW,
) -> TraceRows | None:
    """Read the file.

    Parameters
    ----------
    path : path
        The file.
    options : ReadOptions
        What of it may be left out.
    faults : Faults
        Counts what was odd.
    report : callable
        Is told how many bytes of the file have been read.
    window : int
        Bytes of JSON that are decoded in one go.

    Returns
    -------
    TraceRows or None
        None if it holds no events.

    Raises
    ------
    OSError
        It cannot be read.
    TraceFormatError
        It is no JSON array of events, or, if strict, not all of it can be used.
    """
    with ByteSource(path) as source:
        windows = EventWindows(source, faults, window=window, decoder=Decoder)
        rows = Rows(faults, frames="python" not in options.without)
        with windows.reading_ahead() if source.slow else nullcontext():
            for one in windows:
                rows.add(one)
                del one
                report(source.done)
        windows.header()
        if source.changed:
            raise faults.changed()
        return columns_of(rows)
