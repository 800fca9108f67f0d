"""Drops numbers from the tables of a trace that are too large to compute with.

Overflow is checked only here. Afterwards a float64 represents every time and quantity exactly, and
the sum of a column fits into int64, so that analyses and charts need no checks. Ids and addresses
may be any number, since they are never added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array
from nbprof.model.trace.model import TraceModel
from nbprof.sources.defects import TOO_LARGE
from nbprof.sources.limits.rows import Kept, without_rows
from nbprof.sources.limits.texts import within_length
from nbprof.sources.limits.times import LONGEST_NS, last_end, within_one_recording

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog

Mask = npt.NDArray[np.bool_]

#: Quantities are at most this large: 2⁵³, up to which a float64 holds every whole number.
LARGEST: Final = 1 << 53

#: The sum of a column is at most this large, half of what int64 holds.
LARGEST_SUM: Final = 1 << 62

#: Times in microseconds are at most this large, so that they are below `LARGEST` in nanoseconds.
LONGEST_US: Final = LARGEST / 1000

#: Columns of integers that identify something.
_IDS: Final = frozenset(
    {
        "thread",
        "external_id",
        "correlation",
        "sequence",
        "forward_thread",
        "python_id",
        "python_parent",
        "module_id",
        "device",
        "stream",
        "graph_node",
        "address",
        "device_type",
        "record",
        "id",
        "pid",
        "tid",
        "row",
        "place",
        "step",
        "task",
        "model",
        "graph",
        "result",
    }
)

#: Times since the first event, which `within_one_recording` checks.
_TIMES: Final = frozenset({"start_ns", "end_ns", "time_ns"})

#: Quantities without which a row is dropped.
_NEEDED: Final = {("memory", "bytes"), ("memory_held", "bytes"), ("counters", "value")}


def within_limits(model: TraceModel, defects: DefectLog) -> TraceModel:
    """Return a model whose numbers can be computed with, without texts that are far too long.

    It is the same one if all of it is as it should be.

    Parameters
    ----------
    model : TraceModel
        As a recorder's reader returned it.
    defects : DefectLog
        Counts the numbers and texts that are left out or cut, in addition to the warnings of the
        model.

    Raises
    ------
    TraceFormatError
        A number is too large or a text too long, and `defects` is strict.
    """
    tables = dict(model.tables)
    gone: dict[str, Mask] = {}
    for name, table in model.tables.items():
        if table.num_rows:
            tables[name], lost = _quantities(name, table, defects)
            if lost is not None:
                gone[name] = lost
    tables = without_rows(tables, {name: Kept(~lost) for name, lost in gone.items()})
    metadata = model.metadata
    if metadata["end_ns"] > LONGEST_NS:  # with a duration that is taken as 0
        metadata = {**metadata, "end_ns": last_end(tables)}
    tables, metadata = within_one_recording(tables, metadata, defects)
    tables, metadata = within_length(tables, metadata, defects)
    found = defects.warnings()
    if not found:
        return model
    return TraceModel(
        tables, metadata, [*model.warnings, *found], model.communication_names, model.dialect
    )


def _quantities(name: str, table: pa.Table, defects: DefectLog) -> tuple[pa.Table, Mask | None]:
    """Return a table without quantities that are too large, and the rows that need one of them."""
    gone: Mask | None = None
    for place, field in enumerate(table.schema):
        missing = _missing(field)
        if missing is None:
            continue
        values: npt.NDArray[Any] = joined(table.column(place))
        bad = _too_large(values, field.name)
        if bad is None:
            continue
        first = values[int(np.argmax(bad))]
        if (name, field.name) in _NEEDED:
            gone = bad if gone is None else gone | bad
            what = "the row is left out"
        else:
            missing = 0 if field.name == "duration_ns" else missing
            what = "taken as 0" if field.name == "duration_ns" else "left out"
            kept = arrow_array(np.where(bad, missing, values).astype(values.dtype), field.type)
            table = table.set_column(place, field, kept)
        example = f"{field.name} of {name.replace('_', ' ')} is {first!s}; {what}"
        defects.note(TOO_LARGE, int(bad.sum()), example)
    return table, gone


def _missing(field: pa.Field) -> float | None:
    """Return the missing value of a column of quantities, None for other columns."""
    if pa.types.is_floating(field.type):
        return float("nan")
    is_quantity = field.type == pa.int64() and field.name not in _IDS | _TIMES
    return -1 if is_quantity else None


def _too_large(values: npt.NDArray[Any], name: str) -> Mask | None:
    """Return which values, or their sum, are too large, shape (values,); None if none are."""
    if values.dtype.kind == "f":
        limit = LONGEST_US if name.endswith("_us") else float(LARGEST_SUM)
        with np.errstate(invalid="ignore"):
            bad = np.abs(values) > limit
        return bad if bad.any() else None
    low, high = int(values.min()), int(values.max())
    largest = max(-low, high)
    if largest * len(values) <= LARGEST_SUM and largest <= LARGEST:
        return None
    bad = (values > LARGEST) | (values < -LARGEST)
    # Of the others, the largest ones are too many if the sum of all overflows.
    size = np.where(bad, 0, np.abs(np.where(bad, 0, values)))
    if size.sum(dtype=np.float64) > LARGEST_SUM:
        order = np.argsort(size, kind="stable")
        bad[order] |= np.cumsum(size[order], dtype=np.float64) > LARGEST_SUM
    return bad if bad.any() else None
