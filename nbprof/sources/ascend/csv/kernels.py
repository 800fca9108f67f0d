"""Reads `kernel_details.csv`: tasks on the device with their metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array, filled
from nbprof.model.trace.schema_vendors import NPU_KERNELS, TEXT
from nbprof.sources.ascend.csv import numbers
from nbprof.sources.ascend.tables.clock import LONGEST_NS
from nbprof.sources.chrome.dictionaries import UNNAMED
from nbprof.sources.chrome.times import NO_TIME

if TYPE_CHECKING:
    from nbprof.sources.ascend.csv.table import CsvTable
    from nbprof.sources.defects import DefectLog

#: Columns of every kernel; the columns of metrics follow.
COLUMNS: Final = pa.schema(
    [
        ("name", TEXT),
        ("device", pa.int32()),  # -1 if no file has it
        ("stream", pa.int64()),  # -1 if it has none
        ("start_ns", pa.int64()),  # absolute
        ("duration_ns", pa.int64()),
        *[field for field in NPU_KERNELS if field.name != "row"],
    ]
)

#: Column here → its names in the file, the newest version last.
HEADERS: Final = {
    "name": ("Name",),
    "device": ("Device_id",),
    "stream": ("Stream ID",),
    "start_ns": ("Start Time(us)",),
    "duration_ns": ("Duration(us)",),
    "step": ("Step Id",),
    "type": ("Type",),
    "accelerator_core": ("Accelerator Core",),
    "wait_us": ("Wait Time(us)",),
    "block_dim": ("Block Dim", "Block Num"),
    "mix_block_dim": ("Mix Block Dim", "Mix Block Num"),
    "task": ("Task ID",),
    "model": ("Model ID",),
    "op_state": ("OP State",),
    "input_shapes": ("Input Shapes",),
    "input_types": ("Input Data Types",),
    "input_formats": ("Input Formats",),
    "output_shapes": ("Output Shapes",),
    "output_types": ("Output Data Types",),
    "output_formats": ("Output Formats",),
}
_KNOWN: Final = frozenset(name for names in HEADERS.values() for name in names)
#: Metrics that are words. Other columns of words are not read: they may name users and files.
_WORDS: Final = frozenset({"HF32 Eligible", "Context ID"})
_LARGEST_DEVICE: Final = (1 << 31) - 1


def kernels(table: CsvTable, defects: DefectLog, *, device: int = -1) -> pa.Table:
    """Return the kernels in the order of the file.

    Rows without a start or a duration, or with a start far from all others, are dropped. Other
    invalid numbers become missing, and the row is kept.

    Parameters
    ----------
    table : CsvTable
        The file.
    defects : DefectLog
        Where dropped rows and invalid numbers are counted.
    device : int
        The device, if the file does not name it.

    Returns
    -------
    pyarrow.Table
        `COLUMNS`, and each metric of the file under its own name: float64 for numbers, of which
        invalid ones become missing, and text for `_WORDS`. Other columns of words are counted.

    Raises
    ------
    TraceFormatError
        The file lacks the names or the times of kernels.
    """
    table.need("Name", "Start Time(us)", "Duration(us)")
    start = numbers.nanoseconds(table.cells("Start Time(us)"))
    duration = numbers.nanoseconds(table.cells("Duration(us)"))
    is_kept = (duration.values >= 0) & _recorded(start.values)
    _left_out(table, is_kept, defects)
    columns: dict[str, Any] = {
        "start_ns": start.values[is_kept],
        "duration_ns": duration.values[is_kept],
    }
    rows = None if is_kept.all() else arrow_array(np.flatnonzero(is_kept))
    bad = np.zeros(table.rows, bool)
    for field in COLUMNS:
        if field.name in columns:
            continue
        cells = table.cells(*HEADERS[field.name])
        if field.type == TEXT:
            values = numbers.texts(cells)
            columns[field.name] = values if rows is None else values.take(rows)
        else:
            is_float = pa.types.is_floating(field.type)
            read = numbers.floats(cells) if is_float else numbers.integers(cells)
            bad |= read.bad
            columns[field.name] = read.values[is_kept]
    defects.note(
        "bad numbers",
        int((bad & is_kept).sum()),
        f"{table.name}: row {_first(bad & is_kept)} has one",
    )
    columns["device"] = _devices(columns["device"], device)
    columns["name"] = _named(columns["name"])
    arrays = [arrow_array(columns[field.name], field.type) for field in COLUMNS]
    values = pa.table(arrays, schema=COLUMNS)
    for name in table.names:
        if name not in _KNOWN:
            metric = _metric(table, name, is_kept, rows, defects)
            if metric is not None:
                values = values.append_column(_label(name, values.column_names), metric)
    return values


def _left_out(table: CsvTable, is_kept: Any, defects: DefectLog) -> None:
    count = table.rows - int(is_kept.sum())
    example = f"{table.name}: row {_first(~is_kept)} has no start or duration that is one"
    defects.note("rows without a time", count, example)


def _recorded(start: Any) -> Any:
    """Return which starts belong to the recording: those near the median."""
    known = start[start != NO_TIME]
    if not len(known):
        return np.zeros(len(start), bool)
    middle = np.partition(known, len(known) // 2)[len(known) // 2]
    near = (start >= middle - LONGEST_NS) & (start <= middle + LONGEST_NS)
    return near & (start != NO_TIME) & (start >= 0)


def _first(marks: Any) -> int:
    """Return the number, counted from 1, of the first marked row."""
    return int(np.argmax(marks)) + 1 if len(marks) else 0


def _devices(values: Any, device: int) -> Any:
    """Return devices as int32."""
    known = (values >= 0) & (values <= _LARGEST_DEVICE)
    return np.where(known, values, device).astype(np.int32)


def _named(names: pa.DictionaryArray) -> pa.DictionaryArray:
    if not names.null_count:
        return names
    return filled(names.cast(pa.utf8()), UNNAMED).dictionary_encode()


def _label(name: str, known: list[str]) -> str:
    """Return the column name of a metric, renamed if it collides with another column."""
    while name in (*known, "row"):
        name += " (recorded)"
    return name


def _metric(
    table: CsvTable, name: str, is_kept: Any, rows: pa.Array | None, defects: DefectLog
) -> pa.Array | None:
    """Return the values of a metric; None for a column of words that is no metric."""
    cells = table.cells(name)
    read = numbers.floats(cells)
    bad = read.bad & is_kept
    if name in _WORDS and bad.any():
        values = numbers.texts(cells)
        return values if rows is None else values.take(rows)
    if bad.any() and np.isnan(read.values[is_kept]).all():
        example = f"{table.name}: {name}"
        defects.note("unknown columns of words", 1, example, fatal=False)
        return None
    example = f"{table.name}: row {_first(bad)} has one"
    defects.note("bad numbers", int(bad.sum()), example, fatal=False)
    return arrow_array(read.values[is_kept])
