"""Reports with a row for every call, kernel or memory operation, in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import texts, texts_at, us
from nbprof.analysis.nsys.rows import (
    call_rows,
    kernel_rows,
    memory_rows,
    operation_names,
    place_columns,
)
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

CALLS: Final[Columns] = (
    time("start_us", "Start of the call."),
    time("duration_us", "Time inside it."),
    text("name", "The call, without CUDA's version."),
    count("result", "What it returned; 0 means success. Null if results were not recorded."),
    count("correlation", "Number that it shares with the work that it launched."),
    count("pid", "Process."),
    count("tid", "Thread."),
    text("thread", "Name of the thread."),
)
WORK: Final[Columns] = (
    time("start_us", "Start on the device."),
    time("duration_us", "Time on the device."),
    count("correlation", "Number that it shares with the call that launched it."),
    text("grid", "Blocks along x, y and z."),
    text("block", "Threads of a block along x, y and z."),
    count("registers", "Registers of a thread."),
    size("static_shared_bytes", "Shared memory of a block that was fixed at compile time."),
    size("dynamic_shared_bytes", "Shared memory of a block that was asked for at the launch."),
    size("bytes", "Bytes that were copied or set."),
    Column("throughput_gbps", pa.float64(), "GB/s", "Bytes by time."),
    text("source_memory", "Kind of memory that was read."),
    text("target_memory", "Kind of memory that was written."),
    count("device", "Number of the device."),
    count("context", "Number of the context."),
    count("green_context", "Number of the green context."),
    count("stream", "Number of the stream."),
    text("name", "The kernel, or what was done with memory."),
)


def _cuda_api_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every CUDA call in the order of time."""
    rows = call_rows(model, filter_, kinds.RUNTIME)
    rows = rows[np.argsort(model.column("host", "start_ns")[rows], kind="stable")]
    host = {name: model.column("host", name)[rows] for name in ("start_ns", "duration_ns", "name")}
    data: dict[str, Any] = {
        "start_us": us(host["start_ns"]),
        "duration_us": us(host["duration_ns"]),
        "name": texts(model, "host", "name", host["name"]),
        "result": _results(model, rows),
        "correlation": _numbers(model.column("host", "correlation")[rows]),
        **place_columns(model, model.column("host", "thread")[rows]),
    }
    return make_table(CALLS, data)


def _results(model: TraceModel, rows: Rows) -> pa.Array | None:
    if not model.tables["cuda_work"].num_rows:  # of a recorder that does not know
        return None
    results = np.zeros(model.tables["host"].num_rows, np.int64)
    results[model.column("call_results", "row")] = model.column("call_results", "result")
    return arrow_array(results[rows])


def _cuda_gpu_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every kernel, copy and memory set in the order of time."""
    rows = np.sort(np.concatenate([kernel_rows(model, filter_), memory_rows(model, filter_)]))
    amount = model.column("device", "bytes")[rows]
    rate = model.column("device", "bandwidth_gbps")[rows]
    data: dict[str, Any] = {
        "start_us": us(model.column("device", "start_ns")[rows]),
        "duration_us": us(model.column("device", "duration_ns")[rows]),
        "name": texts_at(operation_names(model), model.column("device", "name")[rows]),
        "bytes": _numbers(amount),
        "throughput_gbps": arrow_array(rate, mask=np.isnan(rate)),
    }
    for name in ("correlation", "registers", "device", "stream"):
        data[name] = _numbers(model.column("device", name)[rows])
    for name in ("grid", "block"):
        data[name] = texts(model, "device", name, model.column("device", name)[rows])
    has_more = bool(model.tables["cuda_work"].num_rows)
    for name in ("static_shared_bytes", "dynamic_shared_bytes", "context", "green_context"):
        data[name] = _numbers(model.column("cuda_work", name)[rows]) if has_more else None
    for name in ("source_memory", "target_memory"):
        codes = model.column("cuda_work", name)[rows] if has_more else None
        data[name] = None if codes is None else texts(model, "cuda_work", name, codes)
    return make_table(WORK, data)


def _numbers(values: npt.NDArray[Any]) -> pa.Array:
    """Return whole numbers, with null for -1."""
    return arrow_array(values.astype(np.int64), mask=values < 0)


API_TRACE: Final = TableSpec(
    name="nsys_cuda_api_trace",
    summary="every CUDA call",
    columns=CALLS,
    make=_cuda_api_trace,
    sums=("duration_us",),
    nouns=("call", "calls"),
)
GPU_TRACE: Final = TableSpec(
    name="nsys_cuda_gpu_trace",
    summary="every kernel, copy and memory set",
    columns=WORK,
    make=_cuda_gpu_trace,
    sums=("duration_us", "bytes"),
    nouns=("operation", "operations"),
    needs="device",
)
