"""Table `steps`: the time of every step by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.grouping import us
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model.contract import tables as contract
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel


def steps(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per step, cut to the filter's range.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and times cut the steps; all other fields narrow what counts as active.

    Returns
    -------
    pyarrow.Table
        Columns of `contract.STEPS`; the eight categories sum to ``total_us``.
    """
    found = break_down(model, filter_)
    data = {f"{name}_us": us(cost) for name, cost in found.costs.items()}
    return make_table(
        contract.STEPS,
        {
            "step": found.number,
            "start_us": us(found.start_ns),
            "end_us": us(found.end_ns),
            "total_us": us(found.total_ns),
            **data,
            "complete": found.complete,
        },
    )


TABLE: Final = TableSpec(
    name="steps",
    summary="the time of every step by category",
    notes="The eight categories sum to the step exactly.",
    columns=contract.STEPS,
    make=steps,
    scope="both",
    keys=("step",),
    nouns=("step", "steps"),
)
