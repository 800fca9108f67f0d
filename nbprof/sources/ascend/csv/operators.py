"""Reads `operator_details.csv`: operator calls with times measured by the profiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array, filled
from nbprof.model.trace.schema_vendors import MEASURED_OPERATORS, TEXT
from nbprof.sources.ascend.csv import numbers
from nbprof.sources.ascend.texts import shapes_text, stack_text
from nbprof.sources.chrome.dictionaries import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.ascend.csv.table import CsvTable
    from nbprof.sources.defects import DefectLog

#: Columns that do not need the trace.
COLUMNS: Final = pa.schema([field for field in MEASURED_OPERATORS if field.name != "row"])

TIMES: Final = {
    "host_self_us": "Host Self Duration(us)",
    "host_total_us": "Host Total Duration(us)",
    "device_self_us": "Device Self Duration(us)",
    "device_total_us": "Device Total Duration(us)",
    "ai_core_self_us": "Device Self Duration With AICore(us)",
    "ai_core_total_us": "Device Total Duration With AICore(us)",
}


def operators(table: CsvTable, defects: DefectLog) -> pa.Table:
    """Return the calls in the order of the file, with `COLUMNS`.

    A row is dropped if a time is not a number, or is missing although the file has the column: sums
    over the other columns would not be comparable.

    Parameters
    ----------
    table : CsvTable
        The file.
    defects : DefectLog
        Where dropped rows are counted.

    Raises
    ------
    TraceFormatError
        The file has no names of operators.
    """
    table.need("Name")
    times = {column: numbers.floats(table.cells(name)) for column, name in TIMES.items()}
    broken = np.zeros(table.rows, bool)
    for column, name in TIMES.items():
        if name in table.names:
            broken |= np.isnan(times[column].values)
    example = f"{table.name}: row {int(np.argmax(broken)) + 1 if len(broken) else 0} lacks a time"
    defects.note("rows without a time", int(broken.sum()), f"{example}, and is left out")
    rows = arrow_array(np.flatnonzero(~broken))
    shapes = numbers.texts(table.cells("Input Shapes"))
    columns = {
        "name": _changed(numbers.texts(table.cells("Name")), str, UNNAMED),
        # If shapes were recorded, an empty cell belongs to a call without arguments.
        "input_shapes": _changed(
            shapes, shapes_text, None if shapes.null_count == len(shapes) else "[[]]"
        ),
        "call_stack": _changed(numbers.texts(table.cells("Call Stack")), stack_text),
    }
    arrays = [
        columns[field.name].take(rows)
        if field.type == TEXT
        else arrow_array(times[field.name].values[~broken])
        for field in COLUMNS
    ]
    return pa.table(arrays, schema=COLUMNS)


def _changed(
    column: pa.DictionaryArray, change: Callable[[str], str | None], missing: str | None = None
) -> pa.DictionaryArray:
    """Apply a function to each distinct text of a column."""
    changed = arrow_array([change(text) for text in column.dictionary.to_pylist()], pa.utf8())
    plain = changed.take(column.indices)
    return (plain if missing is None else filled(plain, missing)).dictionary_encode()
