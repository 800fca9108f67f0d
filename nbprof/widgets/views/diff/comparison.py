"""The difference between the baseline and the trace on screen, and its tables, cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.widgets.session.sides import sides_of
from nbprof.widgets.session.trace_tables import cache_key

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.diff import Diff
    from nbprof.widgets.session.session import Progress, Session
    from nbprof.widgets.session.state import State


def difference(session: Session, state: State, progress: Progress | None = None) -> Diff | None:
    """Return the difference of a state, under its filter on both sides; None without a baseline.

    Raises
    ------
    NbprofError
        There is no such baseline, or a side cannot be read.
    """
    if state.baseline is None:
        return None
    from nbprof.diffs.diff import Diff

    sides = sides_of(session, state, progress)
    return None if sides is None else Diff(*sides)


def diff_table(session: Session, state: State, diff: Diff, name: str, **options: Any) -> pa.Table:
    """Return a table of a difference, cached with the tables of the trace on screen.

    Parameters
    ----------
    session, state : Session, State
        What is shown.
    diff : Diff
        The difference of the state.
    name : str
        As for `Diff.table`.
    **options
        Options of the table.
    """
    others = [cache_key(trace) for trace in (*diff.baseline_traces, *diff.candidate_traces)]
    key = ("diff", *others, diff.baseline.active_filter, state.filter, name)
    return session.cached(
        session.trace(state),
        (*key, *sorted(options.items())),
        lambda: diff.table(name, **options),
    )
