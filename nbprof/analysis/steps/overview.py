"""Table `overview`: the average step by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.grouping import NS_PER_US, share
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model.contract.columns import Columns, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace.kinds import CATEGORIES

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

OVERVIEW: Final[Columns] = (
    text(
        "category", "Category of step time. Each moment counts for the first category that applies."
    ),
    time("avg_us", "Mean over the complete steps."),
    pct("pct", "Share of the average step."),
)


TOTAL: Final = "Average Step Time"


def overview(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return means over the complete steps: the whole step, then the eight categories.

    Without a complete step in the filter's range, the mean is over all steps in it; without any
    step, the values are null.
    """
    means = break_down(model, filter_).averages()
    total = means.get("total", 0.0)
    titles = {"total": TOTAL, **CATEGORIES}
    values = {name: means.get(name) for name in titles}
    return make_table(
        OVERVIEW,
        {
            "category": list(titles.values()),
            "avg_us": [None if v is None else v / NS_PER_US for v in values.values()],
            "pct": [None if v is None else share(v, total) for v in values.values()],
        },
    )


TABLE: Final = TableSpec(
    name="overview",
    summary="the average step by category",
    columns=OVERVIEW,
    make=overview,
    keys=("category",),
    nouns=("average of steps", "averages of steps"),
)
