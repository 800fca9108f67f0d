"""Pairs the steps of two traces: by number or, if they share none, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.analysis.steps.breakdown import steps_in_range
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Indices of a step in the baseline and in the candidate; None where a side does not have it.
Pair = tuple["int | None", "int | None"]


def aligned_steps(
    baseline: TraceModel,
    candidate: TraceModel,
    filters: tuple[Filter, Filter] = (NO_FILTER, NO_FILTER),
) -> list[tuple[int, int]]:
    """Return which steps of two traces belong together, as indices, in time order.

    They have the same number. If no number is on both sides, the k-th complete step of one belongs
    to the k-th complete step of the other.

    Parameters
    ----------
    baseline, candidate : TraceModel
        The traces.
    filters : (Filter, Filter)
        Their filters, of which the range counts.
    """
    pairs = step_pairs(baseline, candidate, filters)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def step_pairs(
    baseline: TraceModel,
    candidate: TraceModel,
    filters: tuple[Filter, Filter] = (NO_FILTER, NO_FILTER),
) -> list[Pair]:
    """Return all steps in the range, those of one side only with None for the other.

    Parameters are those of `aligned_steps`.
    """
    models = baseline, candidate
    ranges = [steps_in_range(model, one) for model, one in zip(models, filters, strict=True)]
    places = [np.flatnonzero(one.chosen).tolist() for one in ranges]
    # A number that occurs twice, as after a restart, stands for its first step.
    numbers = [
        {int(model.steps.number[at]): at for at in reversed(of)}
        for model, of in zip(models, places, strict=True)
    ]
    if numbers[0].keys() & numbers[1].keys():
        of_candidate = {numbers[1][one]: at for one, at in numbers[0].items() if one in numbers[1]}
    else:
        complete = (
            [at for at in of if one.complete[at]] for one, of in zip(ranges, places, strict=True)
        )
        mine, theirs = complete
        of_candidate = dict(zip(theirs, mine, strict=False))
    found: list[Pair] = []
    waiting = iter(places[0])
    paired = set(of_candidate.values())
    for at in places[1]:
        partner = of_candidate.get(at)
        if partner is not None:
            for one in waiting:  # the baseline's steps up to the partner
                if one == partner:
                    break
                if one not in paired:
                    found.append((one, None))
        found.append((partner, at))
    found += [(one, None) for one in waiting if one not in paired]
    return found
