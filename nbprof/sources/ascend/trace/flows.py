"""Builds the tables of flow events and counters of a `trace_view.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array, table_of
from nbprof.model.trace import schema
from nbprof.sources.ascend.trace.roles import FLOW_CATEGORIES
from nbprof.sources.chrome.dictionaries import dictionary_array
from nbprof.sources.kineto.other_rows import identifiers

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.columns import TraceRows
    from nbprof.sources.ascend.trace.lanes import LaneDetails

Integers = npt.NDArray[np.int64]

#: Maximum rounding error, in ns, of the ends of flow events that some versions write as float64.
_ROUNDED_BY: Final = 250

_LARGEST: Final = 1 << 62


def flows_table(trace: TraceRows, details: LaneDetails, zero_ns: int) -> pa.Table:
    """Return the table of flow events.

    An end on a device has the device's number for a process and the stream's for a thread, and the
    time when the work on it starts.
    """
    flows = trace.flows
    lane = flows["lane"].astype(np.int64)
    on_device = details.on_device[lane]
    pid = identifiers(list(details.pid))[lane]
    pid = np.where(on_device, details.device[lane], pid)
    tid = np.where(on_device, details.stream[lane], details.tid[lane])
    time = flows["time_ns"].copy()
    time[on_device] = _starts_at(trace, lane[on_device], time[on_device])
    time -= zero_ns
    sort = np.lexsort((flows["order"], time))
    columns = {
        "id": arrow_array(flows["id"][sort]),
        "category": dictionary_array(flows["category"][sort], FLOW_CATEGORIES),
        "phase": dictionary_array(flows["phase"][sort], ("s", "f")),
        "time_ns": arrow_array(time[sort]),
        "pid": arrow_array(pid[sort], pa.int64()),
        "tid": arrow_array(tid[sort], pa.int64()),
    }
    return table_of(columns, schema.FLOWS)


def counters_table(trace: TraceRows, zero_ns: int) -> pa.Table:
    """Return the table of counters."""
    counters = trace.counters
    time = counters["time_ns"] - zero_ns
    sort = np.lexsort((counters["order"], time))
    columns = {
        "name": dictionary_array(counters["name"][sort], trace.texts["name"]),
        "series": dictionary_array(counters["series"][sort], trace.texts["series"]),
        "pid": arrow_array(counters["pid"][sort]),
        "time_ns": arrow_array(time[sort]),
        "value": arrow_array(counters["value"][sort]),
    }
    return table_of(columns, schema.COUNTERS)


def _starts_at(trace: TraceRows, lane: Integers, time: Integers) -> Integers:
    """Return the nearest start of a slice in the same lane within the error, or else the time."""
    slices = trace.slices
    order = np.lexsort((slices["start_ns"], slices["lane"]))
    lanes, starts = slices["lane"][order].astype(np.int64), slices["start_ns"][order]
    if len(order) == 0:
        return time
    first = int(starts.min()) - _ROUNDED_BY
    width = int(starts.max()) + _ROUNDED_BY - first + 1
    if width * (int(lanes.max()) + 1) > _LARGEST:
        return time
    # There are few lanes and recordings are shorter than a day, so one integer holds both.
    keys, wanted = lanes * width + (starts - first), lane * width + np.clip(time - first, 0, width)
    after = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(wanted - keys[before] < keys[after] - wanted, before, after)
    near = (np.abs(starts[nearest] - time) <= _ROUNDED_BY) & (lanes[nearest] == lane)
    starts_at: Integers = np.where(near, starts[nearest], time)
    return starts_at
