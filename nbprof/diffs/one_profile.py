"""Compares two traces of one profile: runs, workers or spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nbprof.diffs.diff import Diff
from nbprof.model.errors import UnknownNameError

if TYPE_CHECKING:
    from nbprof.sources import TraceFile
    from nbprof.trace import Trace


class Traces(Protocol):
    """What is needed of a `Profile`."""

    @property
    def files(self) -> list[TraceFile]:
        """The trace files that can be read."""

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return one trace; run, worker and span each default to the first one."""


def diff_of_profile(
    profile: Traces,
    baseline: tuple[str | None, str | None, int | None],
    candidate: tuple[str | None, str | None, int | None],
) -> Diff:
    """Compare two traces of one profile.

    Parameters
    ----------
    profile : Profile
        The profile, with its filter.
    baseline, candidate : (str, str, int)
        Run, worker and span of each; None for the first one, and in the candidate for that of the
        baseline.

    Raises
    ------
    UnknownNameError
        The run, worker or span does not exist, or the sides are the same trace.
    """
    first = profile.trace(*baseline)
    run, worker, span = candidate
    wanted = (
        first.run if run is None else run,
        first.worker if worker is None else worker,
        first.span if span is None else span,
    )
    if worker is None and run is not None:  # another run may have other workers
        wanted = _similar(profile, wanted)
    second = profile.trace(*wanted)
    if second.file == first.file:
        traces = len(profile.files)
        message = (
            f"Baseline and candidate are the same trace, of {first.place}. Choose another run, "
            f"worker or span for the candidate, with to=, to_worker= or to_span=; there are "
            f"{traces} traces in the profile, see profile.runs()."
        )
        raise UnknownNameError(message)
    return Diff((first,), (second,), sources=(profile, profile))


def _similar(profile: Traces, wanted: tuple[str, str, int]) -> tuple[str, str, int]:
    """Return a trace of a run: the one with the same worker and span, else of the same rank."""
    run, worker, span = wanted
    files = [file for file in profile.files if file.run == run]
    if any((file.worker, file.span) == (worker, span) for file in files) or not files:
        return wanted
    here = next(file for file in profile.files if file.worker == worker)
    same = [file for file in files if file.worker == worker or file.rank == here.rank]
    chosen = (same or files)[0]
    return run, chosen.worker, chosen.span
