"""`Sides`: the baseline and the candidate of a comparison, each one trace or several workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nbprof.analysis.grouping import latest
from nbprof.diffs.sides.sharing import derived_of
from nbprof.diffs.sides.used_steps import WHOLE, UsedSteps, used_by_workers
from nbprof.diffs.values.cells import Cells, largest, pooled

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace


@dataclass(frozen=True)
class Side:
    """The traces of one side, and their steps that count.

    Attributes
    ----------
    traces : tuple of Trace
        The workers, at least one, under the filter of the side.
    """

    traces: tuple[Trace, ...]

    @cached_property
    def models(self) -> tuple[TraceModel, ...]:
        """The models of the traces; reads the files."""
        return tuple(trace.model for trace in self.traces)

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """The filters of the traces."""
        return tuple(trace.active_filter for trace in self.traces)

    @property
    def has_steps(self) -> bool:
        """Whether steps were recorded or chosen in all traces."""
        return all(model.steps.recorded for model in self.models)

    @cached_property
    def steps(self) -> list[UsedSteps]:
        """The steps that count, for each trace."""
        return used_by_workers(self.models, self.filters)


@dataclass(frozen=True)
class Sides:
    """Both sides of a comparison.

    Attributes
    ----------
    baseline, candidate : Side
        What is compared, and with what: differences are candidate minus baseline.
    """

    baseline: Side
    candidate: Side

    @cached_property
    def derived(self) -> dict[str, Any]:
        """What several tables need, by name; each is computed once for the same two sides."""
        sides = self.baseline, self.candidate
        models = sides[0].models, sides[1].models
        return derived_of(models, (sides[0].filters, sides[1].filters))

    @cached_property
    def per_step(self) -> bool:
        """Whether figures are per step: both sides have steps."""
        return self.baseline.has_steps and self.candidate.has_steps

    def used(self, side: Side) -> list[UsedSteps]:
        """Return the steps that count for each trace of a side."""
        return side.steps if self.per_step else [WHOLE] * len(side.traces)

    @property
    def complete_steps(self) -> tuple[int, int]:
        """Numbers of complete steps of the baseline and of the candidate, 0 without steps."""
        baseline, candidate = (
            min(one.complete for one in self.used(side)) for side in (self.baseline, self.candidate)
        )
        return baseline, candidate

    def cells(
        self, measure: Callable[..., Cells], *, worst: bool = False, **options: Any
    ) -> tuple[Cells, Cells]:
        """Return the values of both sides.

        Parameters
        ----------
        measure : callable
            ``measure(model, filter, used_steps, **options)`` returns the values of one trace. They
            are kept with the model.
        worst : bool
            Whether several workers have the largest of their values instead of the mean.
        **options
            Further arguments of `measure`, which can be hashed.
        """
        baseline, candidate = (
            (largest if worst else pooled)(
                [
                    _measured(measure, model, filter_, used, options)
                    for model, filter_, used in zip(
                        side.models, side.filters, self.used(side), strict=True
                    )
                ]
            )
            for side in (self.baseline, self.candidate)
        )
        return baseline, candidate


def _measured(
    measure: Callable[..., Cells],
    model: TraceModel,
    filter_: Filter,
    used: UsedSteps,
    options: dict[str, Any],
) -> Cells:
    """Measure a trace, once for each filter."""
    key = f"diff {measure.__module__} {measure.__qualname__} {sorted(options.items())} {used}"
    made: Cells = latest(model, key, filter_, lambda: measure(model, filter_, used, **options))
    return made
