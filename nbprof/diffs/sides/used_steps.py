"""`UsedSteps`: the steps of a trace that a comparison counts, under a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.steps.breakdown import steps_in_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class UsedSteps:
    """The steps that count, in time order, or the whole recording in place of steps.

    Attributes
    ----------
    index : tuple of int
        Their indices among the steps of the trace; empty for a whole recording.
    complete : int
        How many were recorded completely and are not cut by the filter. Steps that are not count
        only if all are.
    whole : bool
        Whether the recording counts as a whole, with what ran outside of steps.
    """

    index: tuple[int, ...]
    complete: int
    whole: bool = False

    @property
    def count(self) -> int:
        """Number of steps; 1 for a whole recording."""
        return 1 if self.whole else len(self.index)

    def place(self, step: npt.NDArray[np.signedinteger], steps: int) -> Rows:
        """Return the place of rows among the steps that count, -1 for rows in none of them.

        Parameters
        ----------
        step : ndarray of integers, shape (rows,)
            Index of the step of each row, -1 for none.
        steps : int
            Number of steps of the trace.
        """
        if self.whole:
            return np.zeros(len(step), np.int64)
        place = np.full(steps + 1, -1, np.int64)  # the last one is for index -1
        place[list(self.index)] = np.arange(len(self.index))
        found: Rows = place[step]
        return found


WHOLE = UsedSteps((), 0, whole=True)


def _used_steps(model: TraceModel, filter_: Filter) -> UsedSteps:
    """Return the complete steps in a filter's range; if there are none, all steps in it."""
    found = steps_in_range(model, filter_)
    complete = found.complete & found.chosen
    used = np.flatnonzero(complete if complete.any() else found.chosen)
    return UsedSteps(tuple(used.tolist()), int(complete.sum()))


def used_by_workers(models: Sequence[TraceModel], filters: Sequence[Filter]) -> list[UsedSteps]:
    """Return the steps of several workers that count together, equally many of each.

    Steps go together by number if the workers share any; else the first ones of each do.
    """
    pairs = list(zip(models, filters, strict=True))
    found = [_used_steps(model, filter_) for model, filter_ in pairs]
    if len(found) == 1:
        return found
    numbers = [
        [int(model.steps.number[at]) for at in used.index]
        for model, used in zip(models, found, strict=True)
    ]
    shared = set(numbers[0]).intersection(*numbers[1:])
    least = min(used.count for used in found)
    complete = min(used.complete for used in found)
    together = []
    for used, of in zip(found, numbers, strict=True):
        index = [at for at, number in zip(used.index, of, strict=True) if number in shared]
        index = index if shared else list(used.index[:least])
        together.append(UsedSteps(tuple(index), min(complete, len(index))))
    return together
