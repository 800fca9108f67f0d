"""Reads `trace_view.json`: what ran when on threads, streams and planes, counters and arrows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.faults import Faults
    from nbprof.sources.opening import AnyPath
    from nbprof.sources.options import ReadOptions


@dataclass
class TraceRows:
    """What was read of a `trace_view.json`, times in absolute nanoseconds.

    Attributes
    ----------
    first_ns, end_ns : int
        The first start and the last end of all events.
    events : int
        How many events there were.
    """

    first_ns: int
    end_ns: int
    events: int


def read_trace(
    path: AnyPath, options: ReadOptions, faults: Faults, report: Callable[[int], None]
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
    del path, options, faults, report
    return None
