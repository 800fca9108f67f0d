"""Both sides of a comparison in a session: their workers, and how they change places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model.errors import NbprofError
from nbprof.widgets.session.baseline import OTHER, Baseline

if TYPE_CHECKING:
    from nbprof.trace import Trace
    from nbprof.widgets.session.profile_source import Readable
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State


def sides_of(
    session: Session, state: State, progress: Progress | None = None
) -> tuple[list[Trace], list[Trace]] | None:
    """Return the workers of the baseline and those on screen that are compared with them.

    None without a baseline.

    Raises
    ------
    NbprofError
        There is no such trace, or it cannot be read.
    """
    baseline = session.baseline(state, progress)
    named = state.baseline
    if baseline is None or named is None:
        return None
    trace = session.trace(state, progress)
    mine = [trace]
    for worker in named.compared(trace.worker)[1:]:
        span = _span_of(session.readable, trace, worker)
        mine.append(session.trace(replace(state, run=trace.run, worker=worker, span=span)))
    theirs = [baseline]
    for worker in named.workers:
        if worker == baseline.worker:
            continue
        span = _span_of(session.baselines()[named.source], baseline, worker)
        one = replace(named, run=baseline.run, worker=worker, span=span)
        other = session.baseline(replace(state, baseline=one))
        theirs += [] if other is None else [other]
    return theirs, mine


def _span_of(readable: Readable, trace: Trace, worker: str) -> int:
    """Return the span of another worker that belongs to a trace: the same, else its first."""
    spans = [file.span for file in readable.files if (file.run, file.worker) == (trace.run, worker)]
    return trace.span if trace.span in spans or not spans else spans[0]


def swap(session: Session, state: State) -> State:
    """Exchange the sources of the baseline and of the trace on screen.

    Conditions that the baseline has for itself become the filter, and those of the filter that they
    replaced stay with the new baseline.

    Returns
    -------
    State
        The state that shows the same two sides, exchanged.

    Raises
    ------
    NbprofError
        There is no other source, or nothing of it is the baseline.
    """
    named = state.baseline
    if named is None or not named.source or OTHER not in session.baselines():
        message = "There are no two sources to exchange: the baseline is of the same profile."
        raise NbprofError(message)
    own, before = session.own_conditions, state.filter.to_dict()
    mine = named.compared(state.worker)
    several = mine if len(mine) > 1 else ()
    swapped = replace(
        state,
        run=named.run,
        worker=named.worker,
        span=named.span,
        filter=state.filter.replace(**own),
        baseline=Baseline(state.run, state.worker, state.span, OTHER, several, named.workers),
    )
    session.exchange({name: before.get(name) for name in own})
    for tell in session.on_swap:
        tell(swapped)
    return swapped
