"""Table ``waterfall``: the changes that lead from the baseline's step time to the candidate's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.grouping import NS_PER_US, dense
from nbprof.analysis.steps.attribution import HOST, NOTHING, attribute
from nbprof.diffs.figures import categories
from nbprof.diffs.spec import CHANGE, DiffTableSpec, Figure
from nbprof.diffs.values.by_step import ByStep
from nbprof.diffs.values.cells import Cells
from nbprof.diffs.values.comparison import Comparison, change_columns
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import Option
from nbprof.model.contract.table import make_table
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.sides.used_steps import UsedSteps
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

FIGURES: Final = (Figure("time_us", "us", "time of the step that counts for this name."),)
WATERFALL: Final[Columns] = (
    count("order", "Place of the row, from 0."),
    text("kind", "baseline and candidate for the steps, change, or rest for all other changes."),
    text("category", "Category of the step time."),
    text(
        "name",
        "Operator, call or copy; for device work, the operator that launched it. Empty for times "
        "in which nothing ran.",
    ),
    text("filter_field", "Field of the filter that keeps what the row stands for."),
    text("filter_value", "Value of that field."),
    time("baseline_us", "In the baseline: time of the step that counts for the row."),
    time("candidate_us", "In the candidate: time of the step that counts for the row."),
    time("delta_us", "Candidate minus baseline."),
    time("from_us", "Where the bar of the row begins; the previous one ends there."),
    time("to_us", "Where it ends; the bars of all changes lead from one step to the other."),
    *CHANGE,
)


def waterfall(sides: Sides, *, limit: int = 10) -> pa.Table:
    """Return the step of the baseline, the largest changes, all others, and the candidate's step.

    Every moment of a step counts for one category and one name. The last change, ``rest``, also
    holds what medians do not add up to, so that the bars lead exactly to the candidate's step.
    """
    total = Comparison.of(sides.cells(categories.measure))
    step = total.change("total_us")
    at = total.keys.index(categories.TOTAL) if categories.TOTAL in total.keys else None
    begin, end = (0.0, 0.0) if at is None else (float(step.baseline[at]), float(step.candidate[at]))
    comparison = Comparison.of(sides.cells(measure))
    change = comparison.change("time_us")
    delta = change.delta
    order = np.lexsort((np.arange(len(delta)), -np.abs(delta)))
    chosen = [one for one in order[: max(limit, 0)].tolist() if delta[one] != 0]
    before, after = (float(of[chosen].sum()) for of in (change.baseline, change.candidate))
    rows: list[dict[str, Any]] = [
        {"kind": "baseline", "name": "Step", "baseline_us": begin, "from_us": 0.0, "to_us": begin},
    ]
    reached = begin
    for one in chosen:
        category, name, field, value = comparison.keys[one]
        rows.append(
            {
                "kind": "change",
                "category": category,
                "name": name,
                "filter_field": field,
                "filter_value": value,
                "baseline_us": float(change.baseline[one]),
                "candidate_us": float(change.candidate[one]),
                "delta_us": float(delta[one]),
                "from_us": reached,
                "to_us": reached + float(delta[one]),
                "row": one,
            }
        )
        reached += float(delta[one])
    rows.append(
        {
            "kind": "rest",
            "baseline_us": begin - before,
            "candidate_us": end - after,
            "delta_us": end - reached,
            "from_us": reached,
            "to_us": end,
        }
    )
    rows.append(
        {"kind": "candidate", "name": "Step", "candidate_us": end, "from_us": 0.0, "to_us": end}
    )
    return _table(rows, comparison, change, (total, step, at))


def _table(
    rows: list[dict[str, Any]], comparison: Comparison, change: Any, step: tuple[Any, Any, Any]
) -> pa.Table:
    data: dict[str, Any] = {
        column.name: [row.get(column.name) for row in rows] for column in WATERFALL
    }
    data["order"] = list(range(len(rows)))
    named = change_columns(comparison, change, "time_us")
    total, of_step, at = step
    of_total = change_columns(total, of_step, "total_us")
    for (field, values), (_, of_steps) in zip(named, of_total, strict=True):
        known = values.to_pylist()
        last = None if at is None else of_steps.to_pylist()[at]
        data[field.name] = [known[row["row"]] if "row" in row else None for row in rows]
        data[field.name][-1] = last
    return make_table(
        WATERFALL,
        {column.name: arrow_array(data[column.name], column.type) for column in WATERFALL},
    )


def measure(model: TraceModel, filter_: Filter, used: UsedSteps) -> Cells:
    """Return the time of every step by category and name."""
    found = attribute(model, filter_)
    place = used.place(found.step, len(model.steps.number))
    names = [model.values("host", "name"), model.values("device", "name"), ()]
    codes = model.column("host", "name")[model.column("host", "kind") == kinds.RUNTIME]
    calls = frozenset(np.unique(codes).tolist())
    group, first = _groups(found)
    keys: dict[tuple[Any, ...], int] = {}
    row = [
        keys.setdefault(_key(category, side, name, names, calls), len(keys))
        for category, side, name in zip(
            *(of[first].tolist() for of in (found.category, found.side, found.name)), strict=True
        )
    ]
    return Cells.summed(
        list(keys),
        np.array(row, np.int64)[group] if len(group) else group,
        place,
        {"time_us": found.time_ns / NS_PER_US},
        steps=used.count,
        complete=used.complete,
    )


def by_step(sides: Sides) -> ByStep:
    """Return the time of every step by category and name."""
    return ByStep.of(sides, measure)


def _groups(found: Any) -> tuple[Any, Any]:
    if len(found.step) == 0:
        return found.step, found.step
    return dense(found.category, found.side, found.name)


def _key(
    category: int, side: int, name: int, names: list[Any], calls: frozenset[int]
) -> tuple[Any, ...]:
    """Return category, name, and the field and value of a filter that keeps the rows.

    Nothing lies within calls of the runtime, so that no filter keeps the work that they launched
    without an operator.
    """
    stem, title = list(kinds.CATEGORIES.items())[category]
    if side == NOTHING or name < 0:
        return title, None, None, None
    found = names[side][name]
    if side != HOST or stem == "runtime":
        return title, found, "name", found
    return (title, found, None, None) if name in calls else (title, found, "within", f"={found}")


TABLE: Final = DiffTableSpec(
    name="waterfall",
    summary="the largest changes that lead from one step time to the other",
    notes="Every moment of a step counts for one category and one name, so that the changes sum "
    "exactly to the change of the step.",
    columns=WATERFALL,
    make=waterfall,
    options=(Option("limit", 10, "How many changes have a row of their own.", type=int),),
    keys=("category", "name"),
    by={"waterfall": {}},
    by_step=by_step,
    nouns=("change", "changes"),
)
