"""Reads the traces of all workers of a run, a few per request."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nbprof.model.errors import TraceFormatError

if TYPE_CHECKING:
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State


def all_read(session: Session, state: State) -> bool:
    """Return whether all traces that the distributed view needs have been read."""
    trace = session.trace(state)
    return not session.readable_by(state)._unread(trace.run, state.filter, span=trace.span)[0]


def read_some(
    session: Session, state: State, progress: Progress, seconds: float
) -> tuple[int, int]:
    """Read traces of the run for some time; return how many are read, and the total.

    At least one is read. Traces read by an executor are all read at once.
    """
    readable = session.readable_by(state)
    trace = session.trace(state)
    filter_, span = state.filter, trace.span
    end = time.monotonic() + seconds
    unread, of = readable._unread(trace.run, filter_, span=span)
    while unread:
        tell = _Share(progress, of - len(unread), of)
        try:
            readable._read_first(unread, filter_, tell)
        except TraceFormatError:
            # The profile has listed the file as unreadable, and the view will say so. Without any
            # readable file the request fails.
            if not readable.files:
                raise
        unread, of = readable._unread(trace.run, filter_, span=span)
        if time.monotonic() > end:
            break
    return of - len(unread), of


class _Share:
    """Reports the progress of one trace as part of the progress of all."""

    def __init__(self, progress: Progress, done: int, of: int) -> None:
        self._progress = progress
        self._done = done
        self._of = of

    def __call__(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - told by number
        part = done / total if total else 0.0
        words = f"Reading trace {self._done + 1} of {self._of}"
        self._progress(round(1000 * (self._done + part)), 1000 * self._of, words)
