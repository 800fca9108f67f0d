"""`with_steps`: takes ranges that count iterations as the steps, if no others were marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import FilterError
from nbprof.model.steps.step_choice import choose_steps
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Labels of iterations that need no choice of the user: ``step 3``, ``Iteration #3``, ``iter_3``.
_COUNTED: Final = r"^(training |train |inference )?(step|iteration|iter)[ _:#-]*\d+$"


def with_steps(model: TraceModel) -> TraceModel:
    """Return a model whose steps are the ranges called ``step N`` or ``iteration N``.

    Other labels that repeat are candidates: users choose them (`nbprof.load`, option ``step``).
    """
    if (model.column("host", "kind") == kinds.STEP).any():
        return model
    counted = re.compile(_COUNTED, re.IGNORECASE)
    if not any(counted.match(name) for name in model.values("host", "name")):
        return model
    try:
        return choose_steps(model, f"/{_COUNTED}/")
    except FilterError:  # they are something else than ranges
        return model
