"""Summaries by name: API calls, kernels, memory operations, and all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, texts, texts_at
from nbprof.analysis.nsys.rows import (
    call_rows,
    kernel_rows,
    kernel_short_names,
    memory_rows,
    operation_names,
)
from nbprof.analysis.nsys.statistics import (
    SIZES,
    TIMES,
    size_statistics,
    sorted_summary,
    time_statistics,
)
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, grouped, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

API: Final[Columns] = (*TIMES, text("name", "The call, without CUDA's version."))
KERNELS: Final[Columns] = (
    *TIMES,
    text("name", "The kernel, with template arguments and parameters."),
    text("short_name", "The kernel, without them."),
)
KERNEL_GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "name": ("name",),
    "short_name": ("short_name",),
}
KERNELS_BY_SIZE: Final[Columns] = (
    *TIMES,
    text("grid", "Blocks along x, y and z."),
    text("block", "Threads of a block along x, y and z."),
    text("name", "The kernel."),
)
MEMORY_TIMES: Final[Columns] = (*TIMES, text("operation", "What was done with memory."))
MEMORY_SIZES: Final[Columns] = (*SIZES, text("operation", "What was done with memory."))
CATEGORIES: Final[Columns] = (
    *TIMES,
    text("category", "CUDA_API, CUDA_KERNEL or MEMORY_OPER."),
    text("operation", "Name of the call or kernel, or what was done with memory."),
)


def _cuda_api_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of CUDA calls by name."""
    rows = call_rows(model, filter_, kinds.RUNTIME)
    group, first = dense(model.column("host", "name")[rows])
    times = time_statistics(group, model.column("host", "duration_ns")[rows], len(first))
    names = texts(model, "host", "name", model.column("host", "name")[rows[first]])
    return sorted_summary(API, {**times, "name": names}, first)


def _cuda_gpu_kern_sum(
    model: TraceModel, filter_: Filter = NO_FILTER, *, group_by: str = "name"
) -> pa.Table:
    """Return the time of kernels by name, or by the name without its arguments."""
    rows = kernel_rows(model, filter_)
    code = model.column("device", "name")[rows]
    known = model.values("device", "name")
    if group_by != "name":
        known, code = _merged(kernel_short_names(model), code)
    group, first = dense(code)
    times = time_statistics(group, model.column("device", "duration_ns")[rows], len(first))
    columns = grouped(KERNELS, KERNEL_GROUPS, group_by)
    return sorted_summary(columns, {**times, group_by: texts_at(known, code[first])}, first)


def _merged(names: list[str], code: Rows) -> tuple[list[str], Rows]:
    """Return distinct names, and codes for them, of names that may repeat."""
    number = {name: at for at, name in enumerate(dict.fromkeys(names))}
    new = np.array([*(number[name] for name in names), -1], np.int64)
    return list(number), new[code]


def _cuda_gpu_kern_gb_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of kernels by name, grid and block."""
    rows = kernel_rows(model, filter_)
    keys = [model.column("device", name)[rows] for name in ("name", "grid", "block")]
    group, first = dense(*keys)
    times = time_statistics(group, model.column("device", "duration_ns")[rows], len(first))
    named: dict[str, Any] = {
        name: texts(model, "device", name, key[first])
        for name, key in zip(("name", "grid", "block"), keys, strict=True)
    }
    return sorted_summary(KERNELS_BY_SIZE, {**times, **named}, first)


def _cuda_gpu_mem_time_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of copies and memory sets by what they do."""
    rows = memory_rows(model, filter_)
    known, code = _merged(operation_names(model), model.column("device", "name")[rows])
    group, first = dense(code)
    times = time_statistics(group, model.column("device", "duration_ns")[rows], len(first))
    data = {**times, "operation": texts_at(known, code[first])}
    return sorted_summary(MEMORY_TIMES, data, first)


def _cuda_gpu_mem_size_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the bytes of copies and memory sets by what they do."""
    rows = memory_rows(model, filter_)
    rows = rows[model.column("device", "bytes")[rows] >= 0]
    known, code = _merged(operation_names(model), model.column("device", "name")[rows])
    group, first = dense(code)
    data = size_statistics(group, model.column("device", "bytes")[rows], len(first))
    table = make_table(MEMORY_SIZES, {**data, "operation": texts_at(known, code[first])})
    return table.take(arrow_array(np.lexsort((first, -data["total_bytes"]))))


def _cuda_gpu_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of kernels and memory operations."""
    return _by_category(model, filter_, with_calls=False)


def _cuda_api_gpu_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the time of CUDA calls, kernels and memory operations."""
    return _by_category(model, filter_, with_calls=True)


def _by_category(model: TraceModel, filter_: Filter, *, with_calls: bool) -> pa.Table:
    parts: list[tuple[str, str, Rows, list[str]]] = [
        ("CUDA_KERNEL", "device", kernel_rows(model, filter_), model.values("device", "name")),
        ("MEMORY_OPER", "device", memory_rows(model, filter_), operation_names(model)),
    ]
    if with_calls:
        calls = call_rows(model, filter_, kinds.RUNTIME)
        parts.insert(0, ("CUDA_API", "host", calls, model.values("host", "name")))
    times: list[Rows] = []
    group: list[Rows] = []
    firsts: list[Rows] = []
    category: list[str] = []
    names: list[Any] = []
    for called, side, rows, known in parts:
        distinct, code = _merged(known, model.column(side, "name")[rows])
        own, first = dense(code)
        firsts.append(first + sum(len(one) for one in times))  # calls first, then kernels
        group.append(own + len(names))
        names += texts_at(distinct, code[first]).to_pylist()
        category += [called] * len(first)
        times.append(model.column(side, "duration_ns")[rows])
    found = time_statistics(np.concatenate(group), np.concatenate(times), len(names))
    data = {**found, "category": category, "operation": names}
    return sorted_summary(CATEGORIES, data, np.concatenate(firsts))


API_SUM: Final = TableSpec(
    name="nsys_cuda_api_sum",
    summary="the CUDA calls by name",
    columns=API,
    make=_cuda_api_sum,
    keys=("name",),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("call", "calls"),
)
KERNEL_SUM: Final = TableSpec(
    name="nsys_cuda_gpu_kern_sum",
    summary="the kernels by name",
    columns=KERNELS,
    make=_cuda_gpu_kern_sum,
    groupings=KERNEL_GROUPS,
    grouping_help="Whether names have template arguments and parameters.",
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("kernel", "kernels"),
    needs="kernels",
)
KERNEL_SIZE_SUM: Final = TableSpec(
    name="nsys_cuda_gpu_kern_gb_sum",
    summary="the kernels by name, grid and block",
    columns=KERNELS_BY_SIZE,
    make=_cuda_gpu_kern_gb_sum,
    keys=("name", "grid", "block"),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("kernel", "kernels"),
    needs="kernels",
)
MEMORY_TIME_SUM: Final = TableSpec(
    name="nsys_cuda_gpu_mem_time_sum",
    summary="the time of copies and memory sets",
    columns=MEMORY_TIMES,
    make=_cuda_gpu_mem_time_sum,
    keys=("operation",),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("operation", "operations"),
    needs="device",
)
MEMORY_SIZE_SUM: Final = TableSpec(
    name="nsys_cuda_gpu_mem_size_sum",
    summary="the bytes of copies and memory sets",
    columns=MEMORY_SIZES,
    make=_cuda_gpu_mem_size_sum,
    keys=("operation",),
    sort=("total_bytes",),
    sums=("total_bytes", "instances"),
    nouns=("operation", "operations"),
    needs="device",
)
GPU_SUM: Final = TableSpec(
    name="nsys_cuda_gpu_sum",
    summary="device work by name",
    columns=CATEGORIES,
    make=_cuda_gpu_sum,
    keys=("category", "operation"),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("operation", "operations"),
    needs="device",
)
API_GPU_SUM: Final = TableSpec(
    name="nsys_cuda_api_gpu_sum",
    summary="CUDA calls and device work by name",
    columns=CATEGORIES,
    make=_cuda_api_gpu_sum,
    keys=("category", "operation"),
    sort=("total_us",),
    sums=("total_us", "instances"),
    nouns=("operation", "operations"),
)
