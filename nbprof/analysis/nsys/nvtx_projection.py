"""Reports that project NVTX ranges onto the device: from the first to the last work of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, ratio, sums, texts, texts_at, us
from nbprof.analysis.nsys.nvtx import PLACE, places
from nbprof.analysis.nsys.nvtx_ranges import STYLES, Launched, NvtxRanges, launched_work
from nbprof.analysis.nsys.rows import place_columns
from nbprof.analysis.nsys.statistics import TIMES, sorted_summary, spread_of, time_statistics
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_FLOAT: Final = arrow_array([0.5]).type
_NAME: Final = text("name", "Text of the range, after its domain if that is not the default one.")
_STYLE: Final = text("style", "PushPop: nested on a thread; StartEnd: these may overlap.")

TRACE: Final[Columns] = (
    _NAME,
    time("projected_start_us", "Start of the first work launched inside the range."),
    time("projected_us", "Time from there to the end of the last work."),
    time("busy_us", "Time of the work inside the range, each moment of a device counted once."),
    time("start_us", "Start of the range."),
    time("duration_us", "Time of the range."),
    _STYLE,
    count("pid", "Process."),
    count("tid", "Thread."),
    text("thread", "Name of the thread."),
    count("operations", "Kernels, copies and memory sets launched inside the range."),
    *PLACE,
)
SUM: Final[Columns] = (
    _NAME,
    _STYLE,
    time("total_us", "Projected time of all of them."),
    time("range_us", "Time of the ranges themselves."),
    count("instances", "Number of them that launched work."),
    time("mean_us", "Mean projected time."),
    time("median_us", "Median projected time."),
    time("min_us", "Shortest projected time."),
    time("max_us", "Longest projected time."),
    time("stddev_us", "Standard deviation of the projected time, of a sample."),
    count("operations", "Kernels, copies and memory sets launched inside them."),
    Column("mean_operations", _FLOAT, "", "Operations of a range."),
    Column("mean_level", _FLOAT, "", "Ranges around a range on its thread."),
    Column("mean_children", _FLOAT, "", "Ranges directly inside a range."),
)
KERNELS: Final[Columns] = (
    _NAME,
    _STYLE,
    count("pid", "Process."),
    count("tid", "Thread."),
    text("thread", "Name of the thread."),
    count("ranges", "Number of ranges that launched the kernel."),
    *TIMES[1:],
    text("kernel", "The kernel."),
)


class _Projected:
    """The ranges with work; arrays of shape (ranges with work,), in nanoseconds."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        self.ranges = NvtxRanges.of(model)
        launched = launched_work(model, filter_)
        count = launched.last - launched.first
        self.at: Rows = np.flatnonzero((count > 0) & self.ranges.kept(model, filter_))
        self.operations = count[self.at]
        work = launched.work
        start = model.column("device", "start_ns")[work]
        end = start + model.column("device", "duration_ns")[work]
        first, last = launched.first[self.at], launched.last[self.at]
        self.start = _of_windows(np.minimum, start, first, last)
        self.end = _of_windows(np.maximum, end, first, last)
        self.launched = Launched(work, first, last)


def _of_windows(function: Any, values: Rows, first: Rows, last: Rows) -> Rows:
    """Return the minimum or maximum of windows that are not empty, shape (windows,)."""
    if len(first) == 0:
        return first
    bounds = np.stack([first, last], axis=1).ravel()
    found: Rows = function.reduceat(np.append(values, values[-1:]), bounds)[::2]
    return found


def _nvtx_gpu_proj_trace(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return every range that launched work, with its projection onto the device."""
    found = _Projected(model, filter_)
    ranges, at = found.ranges, found.at
    data: dict[str, Any] = {
        "name": texts_at(ranges.names, ranges.name[at]),
        "projected_start_us": us(found.start),
        "projected_us": us(found.end - found.start),
        "busy_us": us(_busy(model, found)),
        "start_us": us(ranges.start[at]),
        "duration_us": us((ranges.end - ranges.start)[at]),
        "style": texts_at(STYLES, ranges.style[at]),
        "operations": found.operations,
        **place_columns(model, ranges.thread[at]),
        **places(ranges, at, ranges.kept(model, filter_)),
    }
    order = np.argsort(found.start, kind="stable")
    return make_table(TRACE, data).take(arrow_array(order))


def _busy(model: TraceModel, found: _Projected) -> Rows:
    """Return how long the devices worked for each range, each moment of a device counted once."""
    from nbprof.analysis.grouped_time import covered

    index, work = found.launched.pairs()
    device = model.column("device", "device")[work].astype(np.int64)
    group, first = dense(index, device)
    start = model.column("device", "start_ns")[work]
    end = start + model.column("device", "duration_ns")[work]
    time = covered(group, start, end, len(first))
    return np.bincount(index[first], time, len(found.at)).astype(np.int64)


def _nvtx_gpu_proj_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the projections by text and style of the ranges."""
    found = _Projected(model, filter_)
    ranges, at = found.ranges, found.at
    group, first = dense(ranges.name[at], ranges.style[at])
    groups = len(first)
    spread = spread_of(group, found.end - found.start, groups)
    instances = spread.pop("instances")
    data: dict[str, Any] = {f"{name}_us": us(values) for name, values in spread.items()}
    data |= {
        "instances": instances,
        "range_us": us(sums(group, (ranges.end - ranges.start)[at], groups)),
        "operations": sums(group, found.operations, groups).astype(np.int64),
        "mean_operations": ratio(sums(group, found.operations, groups), instances),
        "mean_level": ratio(sums(group, ranges.level[at], groups), instances),
        "mean_children": ratio(sums(group, ranges.children()[at], groups), instances),
        "name": texts_at(ranges.names, ranges.name[at[first]]),
        "style": texts_at(STYLES, ranges.style[at[first]]),
    }
    return sorted_summary(SUM, data, first)


def _nvtx_kern_sum(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the kernels by the ranges that they were launched in.

    A kernel belongs to every range around its launch, not only to the innermost one.
    """
    ranges = NvtxRanges.of(model)
    launched = launched_work(model, filter_, only_kernels=True)
    at = np.flatnonzero(ranges.kept(model, filter_))
    index, work = Launched(launched.work, launched.first[at], launched.last[at]).pairs()
    index = at[index]
    keys = (ranges.name[index], ranges.style[index], ranges.thread[index])
    group, first = dense(*keys, model.column("device", "name")[work])
    groups = len(first)
    times = time_statistics(group, model.column("device", "duration_ns")[work], groups)
    _, one = dense(group, index)
    data: dict[str, Any] = {
        **times,
        "ranges": np.bincount(group[one], minlength=groups),
        "name": texts_at(ranges.names, keys[0][first]),
        "style": texts_at(STYLES, keys[1][first]),
        "kernel": texts(model, "device", "name", model.column("device", "name")[work[first]]),
        **place_columns(model, keys[2][first]),
    }
    return sorted_summary(KERNELS, data, first)


TRACE_TABLE: Final = TableSpec(
    name="nsys_nvtx_gpu_proj_trace",
    summary="each NVTX range projected onto the device",
    columns=TRACE,
    make=_nvtx_gpu_proj_trace,
    keys=("range_id",),
    sort=("projected_us",),
    nouns=("range", "ranges"),
    needs="user_events",
)
SUM_TABLE: Final = TableSpec(
    name="nsys_nvtx_gpu_proj_sum",
    summary="NVTX ranges projected onto the device",
    columns=SUM,
    make=_nvtx_gpu_proj_sum,
    keys=("name", "style"),
    sort=("total_us",),
    sums=("instances", "operations"),
    nouns=("range", "ranges"),
    needs="user_events",
)
KERNEL_TABLE: Final = TableSpec(
    name="nsys_nvtx_kern_sum",
    summary="the kernels by the ranges around them",
    columns=KERNELS,
    make=_nvtx_kern_sum,
    keys=("name", "style", "pid", "tid", "kernel"),
    sort=("total_us",),
    nouns=("kernel of a range", "kernels of ranges"),
    needs="user_events",
)
