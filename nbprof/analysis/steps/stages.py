"""Table `stages`: time of data loading, forward, backward and optimizer in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.grouping import us
from nbprof.analysis.steps.stage_rows import STAGES, stages_of
from nbprof.analysis.steps.stage_times import has_launches, launched, stage_times
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

COLUMNS: Final[Columns] = (
    count("step", "Number of the step."),
    text(
        "stage",
        "DataLoader, Forward, Backward, Optimization, or Other. For inference: "
        "DataLoader; Prefill, Decode and Mixed, if the engine's labels describe its "
        "batches; Forward; Other. In PyTorch's traces, operators between the backward pass and "
        "the optimizer's step, such as clipping and unscaling of gradients, are Optimization; "
        "later ones, or those of a step without update, are Forward, as they may be an evaluation. "
        "In a closure that an optimizer's step calls (LBFGS, Lightning), both passes count as "
        "such.",
    ),
    time("host_us", "Time of the stage on the host. The stages of a step sum to the step."),
    time("device_us", "Time with device work running that the stage launched."),
)


def stages(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per stage of each step, cut to the filter's range.

    Training has five stages; for inference see `stage_rows.stages_of`.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range cut the steps; all other fields select the rows of stages and the
        device work that counts.

    Returns
    -------
    pyarrow.Table
        Columns of `COLUMNS`. Host times of a step sum to its recorded host time; device times are
        null if the trace contains no device work with a known launch. No rows if nothing was
        recorded on the host.
    """
    times, shown = stage_times(model, filter_), stages_of(model)
    device = us(launched(model, filter_).stages[:, shown].ravel()) if has_launches(model) else None
    return make_table(
        COLUMNS,
        {
            "step": np.repeat(times.number, len(shown)),
            "stage": [STAGES[stage] for stage in shown] * len(times.number),
            "host_us": us(times.host_ns[:, shown].ravel()),
            "device_us": device,
        },
    )


TABLE: Final = TableSpec(
    name="stages",
    summary="the time of every step by stage",
    notes="The stages of a step sum exactly to its recorded host time.",
    columns=COLUMNS,
    make=stages,
)
