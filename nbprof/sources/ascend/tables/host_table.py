"""Builds the host table: operators, Python frames, modules, queue events and CANN calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of
from nbprof.model.building import arrow_array, table_of
from nbprof.model.trace import kinds, schema
from nbprof.sources.ascend.trace.processes import CANN
from nbprof.sources.chrome.dictionaries import dictionary_array

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.columns import Columns, TraceRows
    from nbprof.sources.ascend.trace.lanes import LaneDetails

Integers = npt.NDArray[np.int64]

_COLLECTOR: Final = "Python GC"


def host_tables(
    trace: TraceRows, details: LaneDetails, zero_ns: int
) -> tuple[dict[str, pa.Table], Integers, Integers]:
    """Return the tables of host slices and threads.

    Returns
    -------
    tables : dict of str to pyarrow.Table
        host and threads.
    thread_of_lane : ndarray of int64, shape (lanes,)
        Row in THREADS, -1 for lanes that are not threads.
    place : ndarray of int64, shape (rows of trace.host,)
        Row in the finished table.
    """
    calls = {
        name: values[~details.on_device[trace.slices["lane"]]]
        for name, values in trace.slices.items()
    }
    columns = _joined(trace.host, calls)
    columns["kind"][len(trace.host["lane"]) :] = _kinds(trace, details)[calls["lane"]]
    start = columns.pop("start_ns") - zero_ns
    thread_of_lane, threads = _threads(columns["lane"], start, details)
    thread = thread_of_lane[columns["lane"]]
    sort = np.lexsort((columns["order"], -columns["duration_ns"], start, thread))
    columns |= {"thread": thread, "start_ns": start}
    place = np.empty(len(sort), np.int64)
    place[sort] = np.arange(len(sort))
    tables = {"host": _table(columns, sort, trace.texts), "threads": threads}
    return tables, thread_of_lane, place[: len(trace.host["lane"])]


def _joined(host: Columns, calls: Columns) -> Columns:
    """Join the columns of operators and calls; calls have no arguments except their links."""
    count = len(calls["lane"])
    columns = {}
    for name, values in host.items():
        more = calls[name] if name in calls else np.full(count, -1, values.dtype)
        columns[name] = np.concatenate([values, more])
    none = np.full(len(host["lane"]), -1, np.int64)
    columns["correlation"] = np.concatenate([none, calls["connection"]])
    columns["external_id"] = np.full(len(columns["lane"]), -1, np.int64)
    columns["input_values"] = np.full(len(columns["lane"]), -1, np.int32)  # not recorded
    return columns


def _kinds(trace: TraceRows, details: LaneDetails) -> npt.NDArray[np.int8]:
    """Return the kind of slices without a category, by lane."""
    found = []
    for pid, group in zip(details.pid, details.group, strict=True):
        if group == CANN:
            found.append(kinds.RUNTIME)
        elif trace.processes.named(pid).name == _COLLECTOR:
            found.append(kinds.PYTHON)
        else:
            found.append(kinds.ANNOTATION)
    return np.array(found, np.int8)


def _threads(lane: Integers, start: Integers, details: LaneDetails) -> tuple[Integers, pa.Table]:
    """Return threads in the order of their first slices; ties in the order of their ids."""
    first = np.full(len(details.pid), np.iinfo(np.int64).max)
    np.minimum.at(first, lane, start)
    used = np.zeros(len(first), bool)
    used[lane] = True
    order = sorted(
        np.flatnonzero(used).tolist(),
        key=lambda at: (int(first[at]), details.pid[at], int(details.tid[at])),
    )
    thread_of_lane = np.full(len(first), -1, np.int64)
    thread_of_lane[order] = np.arange(len(order))
    columns = {
        "pid": [details.pid[at] for at in order],
        "tid": details.tid[order],
        "name": [details.name[at] for at in order],
    }
    return thread_of_lane, table_of(columns, schema.THREADS)


def _table(columns: Columns, sort: Integers, texts: dict[str, list[str]]) -> pa.Table:
    arrays = []
    for field in schema.HOST:
        values = columns[field.name][sort]
        if field.name == "kind":
            names = arrow_array(kinds.HOST_KINDS, pa.utf8())
            arrays.append(pa.DictionaryArray.from_arrays(arrow_array(values, pa.int8()), names))
        elif pa.types.is_dictionary(field.type):
            arrays.append(dictionary_array(values, texts.get(field.name, [])))
        else:
            arrays.append(arrow_array(values.astype(dtype_of(field.type)), field.type))
    return pa.table(arrays, schema=schema.HOST)
