"""`diff`: chooses the traces that two arguments stand for, and compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.diffs.diff import Diff
from nbprof.loading import load
from nbprof.model.errors import TraceFormatError
from nbprof.profiles import Profile
from nbprof.trace import Trace

if TYPE_CHECKING:
    from nbprof.profiles import Source


def diff(
    baseline: Source | Profile | Trace,
    candidate: Source | Profile | Trace,
    *,
    step: str | None = None,
) -> Diff:
    """Compare two runs, workers or spans.

    Parameters
    ----------
    baseline, candidate : path, Profile or Trace
        What is compared; anything that `nbprof.load` takes. A path or profile stands for its first
        run, worker and span. A profile whose filter names workers stands for these workers: figures
        are then means over them. Filters of profiles and traces apply to their sides.
    step : str, optional
        Annotations to use as steps, as for `nbprof.load`, in place of those of profiles and traces.

    Returns
    -------
    Diff

    Raises
    ------
    NbprofError
        An argument cannot be opened; see `nbprof.load`. Files are read when a table is needed.

    Examples
    --------
    >>> profile = nbprof.load("logs/")
    >>> diff = nbprof.diff(profile.trace(worker="worker0"), profile.trace(worker="worker1"))
    >>> diff.categories()["name"].to_pylist()[:3]
    ['Step', 'Kernel', 'Memcpy']
    >>> set(nbprof.diff("logs/", "logs/").operators()["change"].to_pylist())
    {'same'}
    """
    sources = _opened(baseline, step), _opened(candidate, step)
    return Diff(*(_traces(source) for source in sources), sources=sources)


def _opened(source: Any, step: str | None) -> Profile | Trace:
    if isinstance(source, (Profile, Trace)):
        return source if step is None else source.with_step(step)
    return load(source, step=step)


def _traces(source: Profile | Trace) -> tuple[Trace, ...]:
    """Return the traces that an argument stands for."""
    if isinstance(source, Trace):
        return (source,)
    if source.active_filter.workers is None:
        return (source.trace(),)
    first = source.trace()
    found: dict[str, Trace] = {}
    for trace in source:
        if trace.run == first.run:
            found.setdefault(trace.worker, trace)
    if not found:
        message = f"No readable profile is left in {source.source}; see profile.skipped()."
        raise TraceFormatError(message)
    return tuple(found.values())
