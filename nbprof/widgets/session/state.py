"""`State`: the trace, the filter and the steps that a request of the browser is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nbprof.model.filters.filter import Filter
from nbprof.model.names.private_frames import private_value
from nbprof.model.steps.step_choice import checked_pattern
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.session.baseline import Baseline


@dataclass(frozen=True)
class State:
    """The trace, the filter and the steps that a request refers to.

    Parameters
    ----------
    run, worker : str
        Empty for the first.
    span : int
        0 for the first.
    filter : Filter
        The filter.
    step : str, optional
        Annotations to use as steps; empty for those that the recorder marked. None for the setting
        of the source.
    baseline : Baseline, optional
        The trace to compare with; None without a comparison.
    """

    run: str = ""
    worker: str = ""
    span: int = 0
    filter: Filter = field(default_factory=Filter)
    step: str | None = None
    baseline: Baseline | None = None

    @classmethod
    def parse(cls, plain: object) -> State:
        """Read the ``state`` of a request.

        Raises
        ------
        RequestError
            It is not an object with run, worker, span and filter.
        FilterError
            The filter cannot be applied.
        """
        if not isinstance(plain, Mapping):
            message = f"The state of a request must be an object, not {type(plain).__name__}."
            raise RequestError(message)
        run, worker, span = (
            plain.get(k) or d for k, d in (("run", ""), ("worker", ""), ("span", 0))
        )
        fields, step = plain.get("filter") or {}, plain.get("step")
        if not (isinstance(run, str) and isinstance(worker, str) and isinstance(span, int)):
            message = f"There is no such run, worker and span as {run!r}, {worker!r}, {span!r}."
            raise RequestError(message)
        if not isinstance(fields, Mapping):
            message = f"The filter of a request must be an object, not {type(fields).__name__}."
            raise RequestError(message)
        if step is not None:
            step = checked_pattern(step) or ""
        baseline = Baseline.parse(plain.get("baseline"))
        return cls(run, worker, span, Filter.from_dict(fields), step, baseline)

    def private(self) -> State:
        """Return the state with the paths of frames in its filter shortened to their package."""
        return replace(self, filter=Filter.from_dict(private_value(self.filter.to_dict())))
