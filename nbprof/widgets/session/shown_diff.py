"""Opens a `Diff` for a view: the candidate is on screen, and is compared with the baseline."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from nbprof.profiles import Profile
from nbprof.widgets.session.baseline import OTHER, Baseline
from nbprof.widgets.session.session import Session

if TYPE_CHECKING:
    from nbprof.diffs.diff import Diff
    from nbprof.trace import Trace

#: The view that shows a difference first.
FIRST_VIEW: Final = "diff"


def as_diff(source: Any) -> Diff | None:
    """Return what was passed to `show` if it is a difference.

    Without the module that defines differences, which the first picture does not need, there are
    none.
    """
    module = sys.modules.get("nbprof.diffs.diff")
    return source if module is not None and isinstance(source, module.Diff) else None


def session_of(diff: Diff, private: bool, options: dict[str, Any]) -> Session:
    """Return a session of the candidate of a difference, with its baseline.

    Parameters
    ----------
    diff : Diff
        The difference. The filter of its candidate becomes that of the view. Conditions in which
        the filter of the baseline differs stay with the baseline.
    private : bool
        As of `Session`.
    options : dict
        Traits of the view; gets the trait ``baseline`` unless it has one.
    """
    session = Session(diff.candidate_source, private)
    if options.get("baseline") is not None:
        return session
    baseline = diff.baseline
    own = _own_conditions(baseline, diff.candidate)
    same = diff.baseline_source is diff.candidate_source
    source = "" if same and isinstance(diff.baseline_source, Profile) and not own else OTHER
    if source:
        session.compare_with(diff.baseline_source, own)
    sides = (diff.baseline_traces, diff.candidate_traces)
    workers = [tuple(one.worker for one in of) if len(of) > 1 else () for of in sides]
    named = Baseline(baseline.run, baseline.worker, baseline.span, source, *workers)
    options["baseline"] = named.plain()
    return session


def _own_conditions(baseline: Trace, candidate: Trace) -> dict[str, Any]:
    """Return the conditions of the baseline's filter in which it differs from the candidate's."""
    of_baseline, of_candidate = (one.active_filter.to_dict() for one in (baseline, candidate))
    return {
        name: of_baseline.get(name)
        for name in {**of_baseline, **of_candidate}
        if name != "workers" and of_baseline.get(name) != of_candidate.get(name)
    }
