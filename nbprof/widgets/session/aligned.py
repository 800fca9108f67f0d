"""The alignment of a baseline with the trace on screen, for the timeline and the memory curve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from nbprof.timeline.run_alignment import RunAlignment, align_runs

if TYPE_CHECKING:
    from nbprof.trace import Trace
    from nbprof.widgets.session.align import Align
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State


class AlignedBaseline(NamedTuple):
    """A baseline under the filter of the trace on screen, and its alignment with that trace."""

    trace: Trace
    aligned: RunAlignment


def run_alignment(trace: Trace, other: Trace, align: Align) -> RunAlignment:
    """Return the alignment of a baseline with the trace on screen, computed once."""
    key = ("run alignment", align, *identity(other))
    at = align._asdict()
    return trace.model.cached(key, lambda: align_runs(trace.model, other.model, **at))


def aligned_baseline(session: Session, state: State, align: Align) -> AlignedBaseline | None:
    """Return the baseline of a state, aligned as asked for; None without one.

    Unless something is asked for, it is aligned at the first step of the filter. A range of time in
    the filter is one on the clock of the trace on screen.

    Raises
    ------
    NbprofError
        There is no such baseline, or it cannot be read.
    """
    other = session.baseline(state)
    if other is None:
        return None
    trace = session.trace(state)
    filter_ = state.filter
    if align == type(align)() and filter_.steps is not None:
        align = align._replace(step=filter_.steps[0])
    aligned = run_alignment(trace, other, align)
    if filter_.time_us is not None:
        low, high = (time - aligned.shift_ns / 1000 for time in filter_.time_us)
        other = session.baseline(replace(state, filter=filter_.replace(time_us=(low, high))))
    return None if other is None else AlignedBaseline(other, aligned)


def identity(trace: Trace) -> tuple[object, ...]:
    """Return what distinguishes a trace, its file and its steps from others."""
    return trace.worker, trace.span, trace.step, trace.path, trace.file.bytes
