"""PyProf's report of a trace: by the ranges that PyProf recorded, else by operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.pyprof.report import report_of
from nbprof.analysis.pyprof.trace_records import kernel_rows, records_of
from nbprof.analysis.pyprof.trace_rows import report_of_trace
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def pyprof_report(model: TraceModel, rows: Rows, launches: pa.Table) -> pa.Table:
    """Return the report of kernels with PyProf's columns.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (kernels,)
        Device rows, ascending.
    launches : pyarrow.Table
        The same kernels in `kernel_launches`, with call stacks.

    Returns
    -------
    pyarrow.Table
        Columns of `nbprof.analysis.pyprof.report.COLUMNS`.
    """
    if not model.tables["range_texts"].num_rows:
        return report_of_trace(model, rows, launches)
    every = kernel_rows(model)
    report = model.cached("report by ranges", lambda: report_of(records_of(model)))
    # Numbers and links to the forward pass are those of the whole trace.
    found = report.take(arrow_array(np.searchsorted(every, rows)))
    numbers = arrow_array(np.arange(1, len(rows) + 1))
    return found.set_column(0, found.schema.field(0), numbers)
