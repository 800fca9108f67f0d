"""Table `idle_time`: how long devices were idle, by cause and by what the host did meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.devices.gap_causes import (
    CAUSE,
    HOST_KIND,
    KERNEL_OPTION,
    KERNEL_US,
    cause_texts,
    causes_of,
    host_times_in,
)
from nbprof.analysis.devices.gaps import gaps_of_whole_devices
from nbprof.analysis.devices.host_times import HostTimes
from nbprof.analysis.grouping import dense, ratio, sums, us
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

COLUMNS: Final[Columns] = (
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device."),
    text(
        "host_operator",
        "Operator, annotation or runtime call that ran itself during gaps, on the thread that"
        " launched the next work; empty for the time in none of them, such as that of Python code"
        " alone, and where the launch is unknown.",
    ),
    HOST_KIND,
    CAUSE,
    count("gaps", "Number of gaps with any such time."),
    time("duration_us", "Sum of its own time inside gaps."),
    time("longest_us", "The most of it in one gap."),
    pct("pct", "Share of the idle time of the device."),
)


def idle_time(
    model: TraceModel, filter_: Filter = NO_FILTER, *, kernel_us: float = KERNEL_US
) -> pa.Table:
    """Return what the host did in the gaps of whole devices, the longest sums first.

    The own times of operators, annotations and runtime calls inside gaps are added up by name; what
    is left is in a row without a name. Python functions are looked through.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        As for `idle_gaps`.
    kernel_us : float
        Gaps shorter than this, in microseconds, that the host did not cause have the cause
        "kernel".
    """
    gaps = gaps_of_whole_devices(model, filter_)
    found = host_times_in(model, gaps)
    # What is left of each gap is in nothing recorded.
    every, length = np.arange(len(gaps.start)), gaps.end - gaps.start
    gap = np.concatenate([found.window, every])
    key = np.concatenate([found.key, np.full(len(every), -1)])
    left = length - sums(gap[: len(found.time)], found.time, len(every)).astype(np.int64)
    time = np.concatenate([found.time, left])
    some = np.flatnonzero(time > 0)
    gap, key, time = gap[some], key[some], time[some]
    device, cause = gaps.device[gap], causes_of(model, gaps, kernel_us)[gap]
    group, first = dense(device, key, cause)
    total = sums(group, time, len(first))
    longest = np.zeros(len(first), np.int64)
    np.maximum.at(longest, group, time)
    numbers, of_device = np.unique(device[first], return_inverse=True)
    idle = sums(of_device, total, len(numbers))
    # Equal sums are in the order of their names.
    names = HostTimes.of(model).names(model, key[first])
    by_name = np.unique(names, return_inverse=True)[1]
    order = np.lexsort((cause[first], by_name, -total, device[first]))
    first = first[order]
    data = {
        "device_type": [device_type(model)] * len(first),
        "device": device[first],
        **cause_texts(model, cause[first], key[first]),
        "gaps": np.bincount(group, minlength=len(first))[order],
        "duration_us": us(total[order]),
        "longest_us": us(longest[order]),
        "pct": ratio(total[order], idle[of_device[order]], 100.0),
    }
    return make_table(COLUMNS, data)


TABLE: Final = TableSpec(
    name="idle_time",
    summary="the idle time of devices, by cause and by what the host did meanwhile",
    notes="The gaps of `idle_gaps` in which a whole device is idle, divided among all that the host"
    " did in them; ``duration_us`` sums to ``device_time.idle_us``.",
    columns=COLUMNS,
    make=idle_time,
    options=(KERNEL_OPTION,),
    keys=("device_type", "device", "host_operator", "host_kind", "cause"),
    sort=("duration_us",),
    sums=("duration_us",),
    nouns=("cause", "causes"),
    whole_devices=True,
)
