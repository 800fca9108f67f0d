"""Reads the CSV files about memory: blocks, allocator totals and driver components.

Sizes are in units of 1024 (KB) and 1024² bytes (MB), with as many digits as needed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import joined, numpy_of
from nbprof.model.building import arrow_array, filled
from nbprof.model.trace import schema
from nbprof.model.trace.kinds import NPU_TYPE
from nbprof.model.trace.schema_vendors import MEMORY_COMPONENTS, MEMORY_NAMES
from nbprof.sources.ascend.csv import numbers
from nbprof.sources.chrome.times import NO_TIME

if TYPE_CHECKING:
    from nbprof.sources.ascend.csv.table import CsvTable
    from nbprof.sources.defects import DefectLog

Integers = npt.NDArray[np.int64]

_KB: Final = 1024
_MB: Final = 1024**2
_LARGEST: Final = float(2**62)

_DEVICE: Final = re.compile(r"([a-zA-Z]+)[:\s]*(\d+)?")
_TYPES: Final = {"npu": NPU_TYPE, "cpu": 0}


def blocks(table: CsvTable, defects: DefectLog) -> dict[str, pa.Table]:
    """Return `operator_memory.csv` as records, with absolute times.

    A row is a block: a record where it was allocated, and one where it was released. The number of
    the row serves as its address. The sign of a size is ignored.

    Parameters
    ----------
    table : CsvTable
        The file.
    defects : DefectLog
        Counts rows without a size or a time.

    Returns
    -------
    dict of str to pyarrow.Table
        memory and memory_names.

    Raises
    ------
    TraceFormatError
        The file has no sizes.
    """
    table.need("Size(KB)", "Allocation Time(us)")
    size = numbers.floats(table.cells("Size(KB)"))
    bytes_ = _bytes(np.abs(size.values), _KB, missing=0)
    kinds, devices = _devices(table.cells("Device Type"))
    row = np.arange(table.rows)
    bad = np.isnan(size.values)
    times, totals = {}, {}
    for side, name in (("Allocation", "Allocation Time(us)"), ("Release", "Release Time(us)")):
        found = numbers.nanoseconds(table.cells(name))
        times[side] = found.values
        bad |= found.bad
        totals[side] = [
            numbers.floats(table.cells(f"{side} Total {what}(MB)"))
            for what in ("Allocated", "Reserved")
        ]
    _note(table, bad, "rows without a size or a time", defects)
    known = {side: (times[side] != NO_TIME) & ~np.isnan(size.values) for side in times}
    parts = [
        {
            "time_ns": times[side][known[side]],
            "thread": np.full(int(known[side].sum()), -1),
            "bytes": sign * bytes_[known[side]],
            "address": row[known[side]],
            "device_type": kinds[known[side]],
            "device": devices[known[side]],
            "total_allocated": _bytes(totals[side][0].values[known[side]], _MB),
            "total_reserved": _bytes(totals[side][1].values[known[side]], _MB),
        }
        for side, sign in (("Allocation", 1), ("Release", -1))
    ]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # At equal times, earlier allocations come first, and a block before its release.
    order = np.lexsort((columns["bytes"] < 0, columns["address"], columns["time_ns"]))
    arrays = [arrow_array(columns[field.name][order], field.type) for field in schema.MEMORY]
    names = numbers.texts(table.cells("Name")).take(arrow_array(columns["address"][order]))
    named = pc.is_valid(names)
    records = arrow_array(np.flatnonzero(numpy_of(named)))
    return {
        "memory": pa.table(arrays, schema=schema.MEMORY),
        "memory_names": pa.table([records, names.filter(named)], schema=MEMORY_NAMES),
    }


def components(table: CsvTable, defects: DefectLog, *, is_module: bool) -> pa.Table:
    """Return `memory_record.csv` or `npu_module_mem.csv` in the order of the file.

    Parameters
    ----------
    table : CsvTable
        The file.
    defects : DefectLog
        Counts rows without a time.
    is_module : bool
        Whether the components are modules of the driver.

    Returns
    -------
    pyarrow.Table
        As MEMORY_COMPONENTS, but with absolute times and not sorted.

    Raises
    ------
    TraceFormatError
        The file lacks components, sizes or times.
    """
    table.need("Component", "Timestamp(us)", "Total Reserved(MB)")
    time = numbers.nanoseconds(table.cells("Timestamp(us)"))
    known = time.values != NO_TIME
    _note(table, ~known, "rows without a time", defects)
    kinds, devices = _devices(table.cells("Device Type", "Device"))
    columns: dict[str, Any] = {
        "device_type": kinds,
        "device": devices,
        "component": numbers.texts(table.cells("Component")),
        "time_ns": time.values,
        "is_module": np.full(table.rows, is_module),
    }
    bad = np.zeros(table.rows, bool)
    for column, name in (("allocated", "Total Allocated(MB)"), ("reserved", "Total Reserved(MB)")):
        sizes = numbers.floats(table.cells(name))
        bad |= sizes.bad
        columns[column] = _bytes(sizes.values, _MB)
    _note(table, bad & known, "bad numbers", defects)
    arrays = [arrow_array(columns[field.name], field.type) for field in MEMORY_COMPONENTS]
    return pa.table(arrays, schema=MEMORY_COMPONENTS).filter(arrow_array(known))


def sorted_components(parts: list[pa.Table]) -> pa.Table:
    """Return components of all files, stably sorted by (device, component, time)."""
    table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
    names = table.column("component").cast(pa.utf8()).combine_chunks()
    rank = names.dictionary_encode()
    rank = rank.chunk(0) if isinstance(rank, pa.ChunkedArray) else rank
    place = numpy_of(pc.rank(rank.dictionary, tiebreaker="first").cast(pa.int64()))
    codes = numpy_of(filled(rank.indices, -1))
    by_name = np.append(place, 0)[codes]
    order = np.lexsort(
        (
            joined(table.column("time_ns")),
            by_name,
            joined(table.column("device")),
            joined(table.column("device_type")),
        )
    )
    return table.take(arrow_array(order)).combine_chunks()


def only_device(tables: list[pa.Table]) -> int:
    """Return the number of the only NPU in the records, -1 if there are several."""
    found = {
        device
        for table in tables
        if "device_type" in table.column_names
        for device in np.unique(
            joined(table.column("device"))[joined(table.column("device_type")) == NPU_TYPE]
        ).tolist()
    }
    return int(next(iter(found))) if len(found) == 1 else -1


def _devices(cells: pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return type and number of devices that are called ``NPU:0``."""
    names = numbers.texts(cells)
    devices = [_device(name) for name in names.dictionary.to_pylist()]
    codes = numpy_of(filled(names.indices, -1))  # index -1 selects the appended entry
    kinds = np.array([kind for kind, _ in devices] + [-1], np.int32)[codes]
    return kinds, np.array([number for _, number in devices] + [-1], np.int32)[codes]


def _device(name: str) -> tuple[int, int]:
    match = _DEVICE.fullmatch(name)
    if not match:
        return -1, -1
    kind = _TYPES.get(match.group(1).lower(), -1)
    digits = match.group(2) or ""
    number = int(digits) if digits and len(digits) < 10 and kind else -1
    return kind, number


def _bytes(values: npt.NDArray[np.float64], unit: int, missing: int = -1) -> Integers:
    """Return sizes in bytes, `missing` for absent or impossible ones."""
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.rint(values * unit)
        known = np.abs(scaled) < _LARGEST
    return np.where(known, np.where(known, scaled, 0).astype(np.int64), missing)


def _note(table: CsvTable, marks: npt.NDArray[np.bool_], kind: str, defects: DefectLog) -> None:
    if marks.any():
        example = f"{table.name}: row {int(np.argmax(marks)) + 1}"
        defects.note(kind, int(marks.sum()), example)
