"""Table `stages`: what part of each step is loading data, forward, backward and optimization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.grouping import us
from nbprof.analysis.steps.stage_rows import STAGES, stages_of
from nbprof.analysis.steps.stage_times import launched, stage_times, tells_work
from nbprof.model.contract import stages as contract_stages
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel


def stages(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return a row for each stage of each step, cut to the filter's range.

    Of training these are five; of inference those that `stage_rows.stages_of` names.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and times cut the steps; all other fields narrow what makes up the stages and what
        counts of the device work that they launched.

    Returns
    -------
    pyarrow.Table
        Columns of `contract_stages.STAGES`. Host times of a step sum to what the host recorded of
        it; device times are null where the trace holds no device work, or none whose launch it
        holds. No rows where nothing of the host was recorded.
    """
    times, shown = stage_times(model, filter_), stages_of(model)
    device = us(launched(model, filter_).stages[:, shown].ravel()) if tells_work(model) else None
    return make_table(
        contract_stages.STAGES,
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
    notes="The stages of a step sum to what the host recorded of it exactly.",
    columns=contract_stages.STAGES,
    make=stages,
)
