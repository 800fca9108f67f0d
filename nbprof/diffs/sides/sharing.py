"""Keeps what is made from both sides for all comparisons of the same traces.

A notebook makes a comparison, its view one for every request; all of them compare the same models
under the same filters, and aligning two call trees takes long.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbprof.analysis.grouping import KEPT

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

    Models = tuple[TraceModel, ...]
    Filters = tuple[Filter, ...]


@dataclass(frozen=True)
class _Shared:
    """What was made from two sides.

    The candidate's model keeps it, and must not keep the other models with it.
    """

    models: tuple[weakref.ref[TraceModel], ...]
    filters: tuple[Filters, Filters]
    derived: dict[str, Any]

    def is_of(self, models: Models, filters: tuple[Filters, Filters]) -> bool:
        """Return whether it was made from these models under these filters."""
        return self.filters == filters and all(
            kept() is model for kept, model in zip(self.models, models, strict=True)
        )


def derived_of(models: tuple[Models, Models], filters: tuple[Filters, Filters]) -> dict[str, Any]:
    """Return what several tables of two sides need, by name; of the latest few sides.

    Parameters
    ----------
    models : (tuple of TraceModel, tuple of TraceModel)
        The baseline and the candidate.
    filters : (tuple of Filter, tuple of Filter)
        The filters of their models.
    """
    every = (*models[0], *models[1])
    holder: list[tuple[_Shared, ...]] = models[1][0].cached("diff derived", lambda: [()])
    for one in holder[0]:
        if one.is_of(every, filters):
            return one.derived
    made = _Shared(tuple(weakref.ref(model) for model in every), filters, {})
    # Replaced as a whole, so that no thread sees it half changed.
    holder[0] = (*(one for one in holder[0][1 - KEPT :] if all(m() for m in one.models)), made)
    return made.derived
