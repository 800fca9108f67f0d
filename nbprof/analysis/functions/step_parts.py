"""The contribution of the only step, the whole recording, to the table ``functions``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.analysis.steps.step_parts import StepParts
from nbprof.model.building import filled, table_of
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel


def function_parts(
    model: TraceModel,  # noqa: ARG001 - as of all tables
    table: pa.Table,
    group_by: str,  # noqa: ARG001 - the table has no groupings
    filter_: Filter = NO_FILTER,  # noqa: ARG001 - the table is under the filter
) -> StepParts | None:
    """Return the rows of the table as parts of step 0, so that pages can filter by name."""
    rows = table.num_rows
    part = table_of(
        {
            "step": np.zeros(rows, np.int64),
            "row": np.arange(rows, dtype=np.int32),
            "self_us": filled(table["self_us"].combine_chunks(), 0.0),
        }
    )
    return StepParts(part, order=[["self_us", "desc"]])
