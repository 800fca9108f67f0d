"""Builds the sorted device tables of the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of
from nbprof.model.building import arrow_array, table_of, table_of_rows
from nbprof.model.trace import kinds, schema
from nbprof.model.trace.schema_vendors import NPU_KERNELS, TEXT
from nbprof.sources.ascend.trace.processes import COMMUNICATION, HARDWARE
from nbprof.sources.chrome.dictionaries import dictionary_array

if TYPE_CHECKING:
    from nbprof.sources.ascend.tables.device_rows import DeviceRows

Integers = npt.NDArray[np.int64]

#: Columns of a kernel with different names in other CSV tables.
_OTHERS: Final = ("name", "device", "stream", "start_ns", "duration_ns")

#: Names such as ``hcom_allReduce__586_0_1``.
_COLLECTIVE: Final = re.compile(r"hcom_([A-Za-z](?:[^\W_]|_+(?![_\d]|$))*)_*(?:_\d|$)")

_LANE_NAME: Final = "Communication"


def device_tables(
    rows: DeviceRows, kernels: pa.Table | None, zero_ns: int
) -> tuple[dict[str, pa.Table], list[dict[str, object]]]:
    """Return the tables, and rows for lanes that are not in the trace.

    Parameters
    ----------
    rows : DeviceRows
        All rows, kernels joined.
    kernels : pyarrow.Table or None
        See `timeline.build`.
    zero_ns : int
        Time zero.

    Returns
    -------
    tables : dict of str to pyarrow.Table
        device, devices, npu_kernels, collectives.
    lanes : list of dict
        As rows of LANES.
    """
    lanes = _place_strays(rows)
    columns = rows.columns
    start = columns["start_ns"] - zero_ns
    sort = np.lexsort((columns["order"], columns["stream"], columns["device"], start))
    place = np.empty(len(sort), np.int64)
    place[sort] = np.arange(len(sort))
    values = {**columns, "start_ns": start}
    arrays = [_column(field, values, sort, rows.texts) for field in schema.DEVICE]
    devices = np.unique(columns["device"][columns["device"] >= 0])
    tables = {
        "device": pa.table(arrays, schema=schema.DEVICE),
        "devices": _devices(devices),
        "npu_kernels": _kernels(rows, kernels, place),
        "collectives": _collectives(rows, place),
    }
    return tables, lanes


def _column(field: pa.Field, values: dict[str, Any], sort: Integers, texts: Any) -> pa.Array:
    if field.name == "kind":
        names = arrow_array(kinds.DEVICE_KINDS, pa.utf8())
        return pa.DictionaryArray.from_arrays(arrow_array(values["kind"][sort], pa.int8()), names)
    if field.name not in values:
        if pa.types.is_dictionary(field.type):
            return dictionary_array(np.full(len(sort), -1, np.int32), [])
        missing = np.nan if pa.types.is_floating(field.type) else -1
        return arrow_array(np.full(len(sort), missing), field.type)
    column = values[field.name][sort]
    if pa.types.is_dictionary(field.type):
        return dictionary_array(column.astype(np.int32), texts[field.name])
    return arrow_array(column.astype(dtype_of(field.type)), field.type)


def _place_strays(rows: DeviceRows) -> list[dict[str, object]]:
    """Give rows without a stream their own lane, and name unnamed lanes."""
    columns = rows.columns
    added = columns["kind"] == kinds.KERNEL
    added &= columns["lane"] < 0
    lanes: list[dict[str, object]] = []
    for device in np.unique(columns["device"][added]).tolist():
        mine = columns["device"] == device
        known = set(columns["stream"][mine & ~added].tolist())
        strays = mine & added & (columns["stream"] < 0)
        if strays.any():
            columns["stream"][strays] = min({-1} | known) - 1
        for stream in sorted(set(columns["stream"][mine & added].tolist()) - known, reverse=True):
            group, name = (
                (HARDWARE, f"Stream {stream}") if stream >= 0 else (COMMUNICATION, _LANE_NAME)
            )
            lane = {"side": "device", "place": device, "stream": stream}
            lanes.append({**lane, "group": group, "name": name})
    return lanes


def _devices(devices: Integers) -> pa.Table:
    """Return a row for each device, of which only the number is known."""
    rows = [
        {
            "device": device,
            "name": "Ascend NPU",
            "memory_bytes": -1,
            "compute_major": -1,
            "compute_minor": -1,
            "multiprocessors": -1,
        }
        for device in devices.tolist()
    ]
    return table_of_rows(rows, schema.DEVICES)


def _kernels(rows: DeviceRows, kernels: pa.Table | None, place: Integers) -> pa.Table:
    if kernels is None:
        return _kernels_of_trace(rows, place)
    row = place[rows.kernel]
    sort = np.argsort(row, kind="stable")
    table = kernels.drop_columns(list(_OTHERS)).take(arrow_array(sort))
    return table.add_column(0, NPU_KERNELS.field("row"), arrow_array(row[sort], pa.int64()))


def _kernels_of_trace(rows: DeviceRows, place: Integers) -> pa.Table:
    """Return what only the trace records of kernels: the kind of core and the task.

    It calls the vector cores AI_CORE too.
    """
    columns = rows.columns
    mine = np.flatnonzero(columns["kind"] == kinds.KERNEL)
    mine = mine[np.argsort(place[mine])]
    types = [*rows.texts["task_type"], COMMUNICATION]
    core = columns["task_type"][mine]
    core = np.where(core < 0, len(types) - 1, core).astype(np.int32)
    known = {
        "row": arrow_array(place[mine], pa.int64()),
        "accelerator_core": dictionary_array(core, types),
        "task": arrow_array(columns["task"][mine], pa.int64()),
    }
    arrays = []
    for field in NPU_KERNELS:
        if field.name in known:
            arrays.append(known[field.name])
        elif field.type == TEXT:
            arrays.append(dictionary_array(np.full(len(mine), -1, np.int32), []))
        else:
            missing = np.nan if pa.types.is_floating(field.type) else -1
            arrays.append(arrow_array(np.full(len(mine), missing), field.type))
    return pa.table(arrays, schema=NPU_KERNELS)


def _collectives(rows: DeviceRows, place: Integers) -> pa.Table:
    """Return the table of collectives, from names and arguments."""
    names = [_collective(name) for name in rows.texts["name"]]
    columns = rows.columns
    named = np.array([name is not None for name in names], bool)[columns["name"]]
    mine = np.flatnonzero(named & (columns["kind"] == kinds.KERNEL))
    mine = mine[np.argsort(place[mine])]
    types: list[str | None] = [*rows.texts.get("dtype", []), None]
    unknown = [None] * len(mine)
    collectives = {
        "side": ["device"] * len(mine),
        "row": place[mine],
        "collective": [names[code] for code in columns["name"][mine].tolist()],
        "dtype": [types[code] for code in columns["dtype"][mine].tolist()],
        "in_elements": columns["elements"][mine],
        "out_elements": np.full(len(mine), -1, np.int64),
        "group_size": np.full(len(mine), -1, np.int64),
        "process_group": unknown,
        "ranks": unknown,
    }
    return table_of(collectives, schema.COLLECTIVES)


def _collective(name: str) -> str | None:
    match = _COLLECTIVE.match(name)
    return match.group(1) if match else None
