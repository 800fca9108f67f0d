"""Reads `step_trace_time.csv`: the time components of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.trace.schema_vendors import NPU_STEPS
from nbprof.sources.ascend.csv import numbers

if TYPE_CHECKING:
    from nbprof.sources.ascend.csv.table import CsvTable
    from nbprof.sources.defects import DefectLog

TIMES: Final = {
    "computing_us": "Computing",
    "communication_not_overlapped_us": "Communication(Not Overlapped)",
    "overlapped_us": "Overlapped",
    "communication_us": "Communication",
    "free_us": "Free",
    "stage_us": "Stage",
    "bubble_us": "Bubble",
    "preparing_us": "Preparing",
}


def step_times(table: CsvTable, defects: DefectLog, *, device: int = -1) -> pa.Table:
    """Return the times of steps, by step.

    Steps are read from the column `Step`: in newer files the first column is the device.

    Parameters
    ----------
    table : CsvTable
        The file.
    defects : DefectLog
        Counts invalid numbers.
    device : int
        The device, if the file does not name it.

    Returns
    -------
    pyarrow.Table
        NPU_STEPS.

    Raises
    ------
    TraceFormatError
        The file has none of the columns.
    """
    if not set(TIMES.values()) & set(table.names):
        table.need("Computing")
    step = numbers.integers(table.cells("Step"))
    devices = numbers.integers(table.cells("Device_id"))
    known = (devices.values >= 0) & (devices.values < 1 << 31)
    columns = {"step": step.values, "device": np.where(known, devices.values, device)}
    bad = step.bad | devices.bad
    for column, name in TIMES.items():
        durations = numbers.floats(table.cells(name))
        bad |= durations.bad
        columns[column] = durations.values
    if bad.any():
        example = f"{table.name}: row {int(np.argmax(bad)) + 1}"
        defects.note("bad numbers", int(bad.sum()), example)
    order = np.lexsort((columns["device"], columns["step"]))
    # A row without any time is the rest of a broken row.
    has_times = ~np.isnan(np.array([columns[name] for name in TIMES])).all(axis=0)
    order = order[has_times[order]]
    arrays = [arrow_array(columns[field.name][order], field.type) for field in NPU_STEPS]
    return pa.table(arrays, schema=NPU_STEPS)
