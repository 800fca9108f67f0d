"""The steps of both sides next to each other, with their categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.steps.breakdown import break_down, steps_in_range
from nbprof.diffs.sides.step_pairs import step_pairs
from nbprof.diffs.spec import DiffTableSpec, Figure
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, flag, text
from nbprof.model.contract.table import make_table
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Side, Sides

FIGURES: Final = (
    Figure("total_us", "us", "length of the step."),
    *(
        Figure(f"{name}_us", "us", f"time of the step in the category {title}.")
        for name, title in kinds.CATEGORIES.items()
    ),
)
STEPS: Final[Columns] = (
    count(
        "baseline_step", "Number of the step in the baseline; empty if only the candidate has it."
    ),
    count(
        "candidate_step", "Number of the step in the candidate; empty if only the baseline has it."
    ),
    text("side", "both, or the only side that has the step: baseline or candidate."),
    flag(
        "baseline_complete", "False if the recording or the filter cuts the step in the baseline."
    ),
    flag("candidate_complete", "False if the recording or the filter cuts it in the candidate."),
    *(column for figure in FIGURES for column in figure.columns),
)


def steps(sides: Sides) -> pa.Table:
    """Return the steps of the first traces of both sides, in time order."""
    both = sides.baseline, sides.candidate
    pairs = step_pairs(
        both[0].models[0], both[1].models[0], (both[0].filters[0], both[1].filters[0])
    )
    data: dict[str, Any] = {"side": [_side(pair) for pair in pairs]}
    values: list[dict[str, npt.NDArray[np.float64]]] = []
    for name, side, at in zip(("baseline", "candidate"), both, (0, 1), strict=True):
        index = np.array([-1 if pair[at] is None else pair[at] for pair in pairs], np.int64)
        number, complete, figures = _steps(side, index)
        data[f"{name}_step"] = arrow_array(number, mask=index < 0)
        data[f"{name}_complete"] = arrow_array(complete, mask=index < 0)
        data |= {f"{name}_{one}": arrow_array(of, nan_is_null=True) for one, of in figures.items()}
        values.append(figures)
    for one in FIGURES:
        delta = values[1][one.name] - values[0][one.name]
        data[f"delta_{one.name}"] = arrow_array(delta, nan_is_null=True)
    return make_table(STEPS, data)


def _side(pair: tuple[int | None, int | None]) -> str:
    if pair[0] is None:
        return "candidate"
    return "baseline" if pair[1] is None else "both"


def _steps(side: Side, index: npt.NDArray[np.int64]) -> tuple[Any, Any, dict[str, Any]]:
    """Return numbers, completeness and times of steps; the time of index -1 is NaN."""
    model, filter_ = side.models[0], side.filters[0]
    found, broken_down = steps_in_range(model, filter_), break_down(model, filter_)
    place = np.cumsum(found.chosen) - 1
    nowhere = index < 0

    def at(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        known = np.append(values / NS_PER_US, np.nan)
        return known[np.where(nowhere, len(values), np.append(place, -1)[index])]

    times = {"total_us": at(broken_down.total_ns)}
    times |= {f"{name}_us": at(cost) for name, cost in broken_down.costs.items()}
    number = np.append(model.steps.number, -1)[index]
    return number, np.append(found.complete, False)[index], times


TABLE: Final = DiffTableSpec(
    name="steps",
    summary="the steps of both sides next to each other",
    notes="Steps belong together by number or, if no number is on both sides, in order. Of several "
    "workers, the first.",
    columns=STEPS,
    make=steps,
    keys=("baseline_step", "candidate_step"),
    by={"step": {}},
    nouns=("step", "steps"),
)
