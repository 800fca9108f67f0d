"""Trait of the baseline: the trace that the one on screen is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import traitlets
from traitlets import TraitError, TraitType, Undefined

from nbprof.trace import Trace
from nbprof.widgets.explorer_traits import ExplorerTraits
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.baseline import OTHER, Baseline

if TYPE_CHECKING:
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State

    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # not generic in the oldest traitlets that ipywidgets accepts


class BaselineTrait(_Trait):
    """A dict of run, worker and span; the name of a run stands for its first worker and span."""

    info_text = "a dict of run, worker and span, the name of a run, or None"
    default_value: Any = Undefined

    def make_dynamic_default(self) -> dict[str, Any]:
        """Create a separate dict for every widget."""
        return {}

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:  # noqa: ARG002 - theirs
        """Convert a baseline to its plain form; that it exists is checked later."""
        try:
            parsed = Baseline.parse({"run": value} if isinstance(value, str) and value else value)
        except RequestError as error:
            raise TraitError(str(error)) from error
        return {} if parsed is None else parsed.plain()


class BaselineTraits(ExplorerTraits):
    """The traits of the explorer, with the trace that the one on screen is compared with."""

    _session: Session

    baseline = BaselineTrait().tag(sync=True, echo_update=False)
    """The trace that the one on screen is compared with, of the same profile:
    ``{"run": …, "worker": …, "span": …}``, or the name of a run; empty for none. Missing names are
    filled in. With ``"source": "baseline"`` it is one of the other source that `nbprof.show` got as
    ``baseline``. ``workers`` and ``candidates`` name several workers of the baseline's run and of
    the run on screen, whose means the diff view compares."""

    @traitlets.validate("baseline")
    def _check_baseline(self, proposal: Any) -> dict[str, Any]:
        value: dict[str, Any] = proposal["value"]
        named = Baseline.parse(value)
        if named is None:
            return value
        sources = self._session.baselines()
        if named.source and named.source not in sources:
            message = (
                "baseline: there is no other source to compare with; pass it as"
                " nbprof.show(…, baseline=…)."
            )
            raise TraitError(message)
        try:
            return named.settled(sources.get(named.source), self.worker).plain()
        except RequestError as error:
            raise TraitError(str(error)) from error

    def _settle_baseline(self) -> None:
        """Forget a baseline that no longer exists, after files have vanished."""
        named = Baseline.parse(self.baseline)
        if named is None:
            return
        readable = self._session.baselines().get(named.source)
        files = [] if readable is None else readable.files
        key = named.run, named.worker, named.span
        if files and key not in {(file.run, file.worker, file.span) for file in files}:
            self.baseline = {}

    def _follow_swap(self, state: State) -> None:
        """Show the state after both sides of a comparison have changed places."""
        with self.hold_trait_notifications():
            self.run, self.worker, self.span = state.run, state.worker, state.span
            self.filter = state.filter.to_dict()
            self.selection = []
            self.baseline = {} if state.baseline is None else state.baseline.plain()

    def _named_baseline(self) -> Baseline | None:
        """Return the baseline, or None."""
        return Baseline.parse(self.baseline)


def compare(session: Session, given: Any) -> Any:
    """Give a session the baseline that `nbprof.show` got, and return the value of the trait.

    Parameters
    ----------
    session : Session
        The session; it reads baselines of another source from then on.
    given : dict, str, path, Profile, Trace or None
        A dict, or the name of one of the runs, is a trace of the profile on screen; anything else
        is another source.

    Raises
    ------
    TraceNotFoundError, TraceFormatError
        Nothing in the other source can be read.
    """
    named = isinstance(given, Mapping) and all(isinstance(key, str) for key in given)
    if named or given is None:
        return given
    readable = session.available
    if isinstance(given, str) and readable and given in {file.run for file in readable.files}:
        return given
    session.compare_with(given)
    if isinstance(given, Trace):
        return Baseline(given.run, given.worker, given.span, OTHER).plain()
    return {"source": OTHER}
