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
)
from nbprof.analysis.devices.gaps import gaps_of_devices
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
        "Operator, annotation or runtime call that took most of each gap itself, on the thread that"
        " launched the next work; empty where none is known.",
    ),
    HOST_KIND,
    CAUSE,
    count("gaps", "Number of gaps."),
    time("duration_us", "Sum of their lengths."),
    time("longest_us", "Length of the longest of them."),
    pct("pct", "Share of the idle time of the device."),
)


def idle_time(
    model: TraceModel, filter_: Filter = NO_FILTER, *, kernel_us: float = KERNEL_US
) -> pa.Table:
    """Return the gaps of whole devices in `idle_gaps`, added up; the longest sums come first.

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
    gaps = gaps_of_devices(model, filter_, streams=False)
    causes = causes_of(model, gaps, kernel_us)
    group, first = dense(gaps.device, causes.host_name, causes.host_kind, causes.cause)
    length = gaps.end - gaps.start
    total = sums(group, length, len(first))
    longest = np.zeros(len(first), np.int64)
    np.maximum.at(longest, group, length)
    device, of_device = np.unique(gaps.device[first], return_inverse=True)
    of_device = of_device.reshape(-1)
    idle = sums(of_device, total, len(device))
    order = np.lexsort((first, -total, gaps.device[first]))
    first = first[order]
    data = {
        "device_type": [device_type(model)] * len(first),
        "device": gaps.device[first],
        **cause_texts(model, causes, first),
        "gaps": np.bincount(group, minlength=len(first))[order],
        "duration_us": us(total[order]),
        "longest_us": us(longest[order]),
        "pct": ratio(total[order], idle[of_device[order]], 100.0),
    }
    return make_table(COLUMNS, data)


TABLE: Final = TableSpec(
    name="idle_time",
    summary="the idle time of devices, by cause and by what the host did meanwhile",
    notes="The gaps of `idle_gaps` in which a whole device is idle, added up; ``duration_us`` sums"
    " to ``device_time.idle_us``.",
    columns=COLUMNS,
    make=idle_time,
    options=(KERNEL_OPTION,),
    keys=("device_type", "device", "host_operator", "host_kind", "cause"),
    sort=("duration_us",),
    sums=("gaps", "duration_us"),
    nouns=("cause", "causes"),
)
