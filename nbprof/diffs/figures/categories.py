"""Differences of the step time and of its eight categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.steps.breakdown import break_down, steps_in_range
from nbprof.diffs.spec import DiffTableSpec, Figure, compared
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.diffs.values.comparison import Comparison, rows_of
from nbprof.model.contract.columns import text
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (Figure("total_us", "us", "length of the step, or time of the category in it."),)
KEYS: Final = (
    text("category", "total for the whole step, else the category as in the columns of `steps`."),
    text("name", "Name of the category."),
)
#: The step itself, before its categories.
TOTAL: Final = ("total", "Step")


def categories(sides: Sides) -> pa.Table:
    """Return the step and its categories, in the order of `steps`."""
    comparison = Comparison.of(sides.cells(measure))
    order = np.arange(len(comparison.keys))
    return rows_of(comparison, [key.field for key in KEYS], FIGURES, order=order)


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the time of each category in every step, and the length of the steps."""
    found = break_down(model, filter_)
    chosen = np.flatnonzero(steps_in_range(model, filter_).chosen)
    place = used.place(chosen, len(model.steps.number))
    columns = {TOTAL: found.total_ns}
    columns |= {(name, title): found.costs[name] for name, title in kinds.CATEGORIES.items()}
    count = len(chosen)
    return Cells.summed(
        list(columns),
        np.repeat(np.arange(len(columns)), count),
        np.tile(place, len(columns)),
        {"total_us": np.concatenate(list(columns.values())) / NS_PER_US},
        steps=used.count,
        complete=used.complete,
    )


def by_step(sides: Sides) -> ByStep:
    """Return the time of each category in every step."""
    return ByStep.of(sides, measure, in_order=True)


TABLE: Final = DiffTableSpec(
    name="categories",
    summary="the step time and its eight categories on both sides",
    columns=(*KEYS, *compared(FIGURES)),
    make=categories,
    figures=FIGURES,
    measure=measure,
    keys=("category", "name"),
    by={"category": {}},
    by_step=by_step,
    nouns=("category", "categories"),
)
