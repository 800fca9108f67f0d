"""Reports that split kernels into launch, queue and execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, texts, us
from nbprof.analysis.nsys.rows import kernel_rows, place_columns
from nbprof.analysis.nsys.statistics import spread_of
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Times = npt.NDArray[np.int64]

#: The parts of an execution, by the prefix of their columns.
_PARTS: Final = {
    "total": "from the start of the call to the end of the kernel",
    "api": "inside the call",
    "queue": "from the end of the call to the start of the kernel, where it started later",
    "kernel": "on the device",
}

TRACE: Final[Columns] = (
    time("api_start_us", "Start of the call that launched the kernel."),
    time("api_us", "Time inside the call."),
    time("queue_start_us", "End of the call; null if the kernel started before."),
    time("queue_us", "Time from the end of the call to the start of the kernel; null if before."),
    time("kernel_start_us", "Start of the kernel."),
    time("kernel_us", "Time of the kernel."),
    time("total_us", "Time from the start of the call to the end of the kernel."),
    count("pid", "Process of the call."),
    count("tid", "Thread of the call."),
    text("thread", "Name of the thread."),
    count("device", "Number of the device."),
    text("api", "The call."),
    text("grid", "Blocks along x, y and z."),
    text("block", "Threads of a block along x, y and z."),
    text("name", "The kernel."),
)
SUM: Final[Columns] = (
    count("pid", "Process of the calls."),
    count("tid", "Thread of the calls."),
    text("thread", "Name of the thread."),
    count("device", "Number of the device."),
    count("instances", "Number of kernels."),
    count("queued", "Number of kernels that started after their call had returned."),
    *(
        time(f"{part}_{name}_us", f"{meaning} time {what}.")
        for part, what in _PARTS.items()
        for name, meaning in (
            ("mean", "Mean"),
            ("median", "Median"),
            ("min", "Shortest"),
            ("max", "Longest"),
            ("stddev", "Standard deviation of the"),
        )
    ),
    time("total_us", "Time from the start of the call to the end of the kernel, of all."),
    text("api", "The call."),
    text("name", "The kernel."),
)


class _Executions:
    """Kernels with a known launch; arrays of shape (kernels,), in nanoseconds."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        rows = kernel_rows(model, filter_)
        launch = model.links.launch[rows]
        known = launch >= 0
        self.rows: Rows = rows[known]
        self.launch: Rows = launch[known]
        self.api_start = model.column("host", "start_ns")[self.launch]
        self.api = model.column("host", "duration_ns")[self.launch]
        self.start = model.column("device", "start_ns")[self.rows]
        self.kernel = model.column("device", "duration_ns")[self.rows]
        self.queue: Times = self.start - self.api_start - self.api
        self.total: Times = self.start + self.kernel - self.api_start


def _cuda_kern_exec_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every kernel with the time of its call, in the queue, and on the device."""
    one = _Executions(model, filter_)
    waited = one.queue < 0
    data: dict[str, Any] = {
        "api_start_us": us(one.api_start),
        "api_us": us(one.api),
        "queue_start_us": arrow_array(us(one.api_start + one.api), mask=waited),
        "queue_us": arrow_array(us(one.queue), mask=waited),
        "kernel_start_us": us(one.start),
        "kernel_us": us(one.kernel),
        "total_us": us(one.total),
        "device": model.column("device", "device")[one.rows],
        "api": texts(model, "host", "name", model.column("host", "name")[one.launch]),
        **place_columns(model, model.column("host", "thread")[one.launch]),
    }
    for name in ("grid", "block", "name"):
        data[name] = texts(model, "device", name, model.column("device", name)[one.rows])
    table = make_table(TRACE, data)
    return table.take(arrow_array(np.argsort(one.api_start, kind="stable")))


def _cuda_kern_exec_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return these times by thread, device, call and kernel."""
    one = _Executions(model, filter_)
    keys = {
        "thread": model.column("host", "thread")[one.launch],
        "device": model.column("device", "device")[one.rows],
        "api": model.column("host", "name")[one.launch],
        "name": model.column("device", "name")[one.rows],
    }
    group, first = dense(*keys.values())
    groups = len(first)
    later = one.queue >= 0
    data: dict[str, Any] = {
        "instances": np.bincount(group, minlength=groups),
        "queued": np.bincount(group[later], minlength=groups),
        "total_us": us(np.bincount(group, one.total, groups)),
        "device": keys["device"][first],
        "api": texts(model, "host", "name", keys["api"][first]),
        "name": texts(model, "device", "name", keys["name"][first]),
        **place_columns(model, keys["thread"][first]),
    }
    for part in ("total", "api", "kernel"):
        data |= _spread(part, group, getattr(one, part), groups)
    # Groups without a queued kernel have no such times.
    some, number = np.unique(group[later], return_inverse=True)
    of_queue = _spread("queue", number, one.queue[later], len(some))
    for name, values in of_queue.items():
        every = np.full(groups, np.nan)
        every[some] = values
        data[name] = arrow_array(every, mask=np.isnan(every))
    table = make_table(SUM, data)
    return table.take(arrow_array(np.lexsort((first, -data["total_us"]))))


def _spread(part: str, group: Rows, values: Times, groups: int) -> dict[str, Any]:
    found = spread_of(group, values, groups)
    wanted = ("mean", "median", "min", "max", "stddev")
    return {f"{part}_{name}_us": us(found[name]) for name in wanted}


TRACE_TABLE: Final = TableSpec(
    name="nsys_cuda_kern_exec_trace",
    summary="launch, queue and execution of each kernel",
    notes="Kernels whose launch is unknown are left out.",
    columns=TRACE,
    make=_cuda_kern_exec_trace,
    sums=("kernel_us",),
    nouns=("kernel", "kernels"),
    needs="kernels",
)
SUM_TABLE: Final = TableSpec(
    name="nsys_cuda_kern_exec_sum",
    summary="launch, queue and execution of kernels",
    notes="Kernels whose launch is unknown are left out.",
    columns=SUM,
    make=_cuda_kern_exec_sum,
    keys=("pid", "tid", "device", "api", "name"),
    sort=("total_us",),
    sums=("total_us", "instances", "queued"),
    nouns=("kernel", "kernels"),
    needs="kernels",
)
