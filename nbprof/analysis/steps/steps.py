"""Table `steps`: the time of every step by category."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from nbprof.analysis.grouping import us
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model.contract.columns import Columns, count, flag, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace.kinds import CATEGORIES

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

_OTHER: Final = time("other_us", "Time in none of the categories.")

STEPS: Final[Columns] = (
    count(
        "step",
        "Number of the step: N of ProfilerStep#N; for a chosen label, the increasing "
        "number in it, or else counted from 0.",
    ),
    time("start_us", "Start of the step, from the first event of the trace."),
    time(
        "end_us",
        "End of the step: the end of its host range or of the last device work it "
        "launched, whichever is later.",
    ),
    time("total_us", "Length of the step. The eight categories sum to it."),
    time("kernel_us", "Time with a kernel running, without communication."),
    time("memcpy_us", "Time with a copy running and no kernel."),
    time("memset_us", "Time with a memory set running and no kernel or copy."),
    time("communication_us", "Time with communication running and no other device work."),
    time("runtime_us", "Time with a runtime or driver call running and no device work."),
    time("dataloader_us", "Time waiting for the data loader, with no device work or runtime call."),
    time("cpu_exec_us", "Time in operators and annotations on the host, and none of the above."),
    _OTHER,
    flag("complete", "False if the recording or the time range cuts the step."),
)


def steps(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per step, cut to the filter's range.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range cut the steps; all other fields select the rows that count as active.

    Returns
    -------
    pyarrow.Table
        Columns of `STEPS`; the eight categories sum to ``total_us``.
    """
    breakdown = break_down(model, filter_)
    columns = STEPS
    if filter_.other != CATEGORIES["other"]:
        meaning = "Time in which nothing runs that passes the filter."
        rest = replace(_OTHER, term=filter_.other, meaning=meaning)
        columns = tuple(rest if column is _OTHER else column for column in STEPS)
    data = {f"{name}_us": us(cost) for name, cost in breakdown.costs.items()}
    return make_table(
        columns,
        {
            "step": breakdown.number,
            "start_us": us(breakdown.start_ns),
            "end_us": us(breakdown.end_ns),
            "total_us": us(breakdown.total_ns),
            **data,
            "complete": breakdown.complete,
        },
    )


TABLE: Final = TableSpec(
    name="steps",
    summary="the time of every step by category",
    notes="The eight categories sum exactly to the step.",
    columns=STEPS,
    make=steps,
    scope="both",
    keys=("step",),
    nouns=("step", "steps"),
)
