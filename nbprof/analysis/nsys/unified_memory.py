"""Reports on CUDA's unified memory: pages that moved, and page faults of processor and device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, sums, texts
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.selection import window
from nbprof.model.trace.schema_vendors import (
    DEVICE_FAULT,
    DEVICE_TO_HOST,
    HOST_FAULT,
    HOST_TO_DEVICE,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

TOTALS: Final[Columns] = (
    size("to_device_bytes", "Bytes of the pages that moved to a device."),
    size("to_host_bytes", "Bytes of the pages that moved to the host."),
    count("cpu_faults", "Accesses of the host that found a page on a device."),
    count("gpu_faults", "Accesses of a device that found a page elsewhere."),
)
BY_ADDRESS: Final[Columns] = (text("address", "Virtual address, hexadecimal."), *TOTALS)
ALL: Final[Columns] = (
    *TOTALS,
    text("first_address", "Lowest virtual address, hexadecimal."),
    text("last_address", "Highest virtual address, hexadecimal."),
)
FAULTS: Final[Columns] = (
    count("cpu_faults", "Accesses of the host that found a page on a device."),
    text("source", "File and line, if recorded, and function of the access."),
)
#: Column of the totals, the event that adds to it, and the column with how much.
_ADDED: Final = {
    "to_device_bytes": (HOST_TO_DEVICE, "bytes"),
    "to_host_bytes": (DEVICE_TO_HOST, "bytes"),
    "cpu_faults": (HOST_FAULT, "faults"),
    "gpu_faults": (DEVICE_FAULT, "faults"),
}


def _kept(model: TraceModel, filter_: Filter) -> Rows:
    """Return the events in the steps, the time and on the devices of a filter."""
    at = model.column("unified_memory", "time_ns")
    keep = np.ones(len(at), bool)
    covered = window(model, filter_)
    if covered is not None:
        starts, ends = covered
        place = np.searchsorted(starts, at, "right") - 1
        keep &= (place >= 0) & (at < np.append(ends, 0)[place])
    if filter_.devices is not None:
        keep &= np.isin(model.column("unified_memory", "device"), list(filter_.devices))
    return np.flatnonzero(keep)


def _totals(model: TraceModel, rows: Rows, group: Rows, groups: int) -> dict[str, Any]:
    events = model.values("unified_memory", "event")
    code = model.column("unified_memory", "event")[rows]
    data: dict[str, Any] = {}
    for column, (event, amount) in _ADDED.items():
        mine = code == (events.index(event) if event in events else -2)
        values = np.maximum(model.column("unified_memory", amount)[rows[mine]], 0)
        data[column] = sums(group[mine], values, groups).astype(np.int64)
    return data


def _addresses(values: Rows) -> list[str | None]:
    return [f"{one:#x}" if one >= 0 else None for one in values.tolist()]


def _um_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what happened to every virtual address, in their order."""
    rows = _kept(model, filter_)
    address = model.column("unified_memory", "address")[rows]
    distinct, group = np.unique(address, return_inverse=True)
    data = _totals(model, rows, group.reshape(-1), len(distinct))
    return make_table(BY_ADDRESS, {"address": _addresses(distinct), **data})


def _um_total_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row with all that happened; none if nothing was recorded."""
    rows = _kept(model, filter_)
    if not len(rows):
        return make_table(ALL, {column.name: [] for column in ALL})
    data = _totals(model, rows, np.zeros(len(rows), np.int64), 1)
    known = model.column("unified_memory", "address")[rows]
    known = known[known >= 0]
    ends = [int(known.min()), int(known.max())] if len(known) else [-1, -1]
    for name, one in zip(("first_address", "last_address"), ends, strict=True):
        data[name] = _addresses(np.array([one]))
    return make_table(ALL, data)


def _um_cpu_page_faults_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the page faults of the host by what accessed the page, the most first."""
    events = model.values("unified_memory", "event")
    rows = _kept(model, filter_)
    fault = events.index(HOST_FAULT) if HOST_FAULT in events else -2
    rows = rows[model.column("unified_memory", "event")[rows] == fault]
    source = model.column("unified_memory", "source")[rows]
    group, first = dense(source)
    found = np.bincount(group, minlength=len(first))
    data = {"cpu_faults": found, "source": texts(model, "unified_memory", "source", source[first])}
    return make_table(FAULTS, data).take(arrow_array(np.lexsort((first, -found))))


_LACKING: Final[dict[str, Any]] = {
    "empty_texts": {
        "": "No unified memory was recorded; nsys profile --cuda-um-cpu-page-faults=true"
        " --cuda-um-gpu-page-faults=true records it."
    },
    "warns_if_empty": False,
}
SUM_TABLE: Final = TableSpec(
    name="nsys_um_sum",
    summary="unified memory by address",
    columns=BY_ADDRESS,
    make=_um_sum,
    keys=("address",),
    sums=("to_device_bytes", "to_host_bytes", "cpu_faults", "gpu_faults"),
    nouns=("address", "addresses"),
    **_LACKING,
)
TOTAL_TABLE: Final = TableSpec(
    name="nsys_um_total_sum",
    summary="unified memory as a whole",
    columns=ALL,
    make=_um_total_sum,
    nouns=("row", "rows"),
    **_LACKING,
)
FAULTS_TABLE: Final = TableSpec(
    name="nsys_um_cpu_page_faults_sum",
    summary="page faults of the host by function",
    columns=FAULTS,
    make=_um_cpu_page_faults_sum,
    keys=("source",),
    sort=("cpu_faults",),
    sums=("cpu_faults",),
    nouns=("function", "functions"),
    **_LACKING,
)
