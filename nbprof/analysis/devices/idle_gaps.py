"""Tables `idle_gaps` and `longest_gaps`: when devices were idle, and what they waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.devices.gap_causes import (
    CAUSE,
    HOST_KIND,
    KERNEL_OPTION,
    KERNEL_US,
    cause_texts,
    causes_of,
    windows_on_threads,
)
from nbprof.analysis.devices.gaps import gaps_of_devices, gaps_of_whole_devices
from nbprof.analysis.devices.host_times import HostTimes
from nbprof.analysis.grouping import ratio, texts, us
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.analysis.devices.gaps import Gaps
    from nbprof.model.trace.model import TraceModel

COLUMNS: Final[Columns] = (
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device."),
    count("stream", "Idle stream; empty if the whole device was idle."),
    time("start_us", "Start of the gap, from the first event of the trace."),
    time("duration_us", "Length of the gap."),
    CAUSE,
    text(
        "host_operator",
        "Operator, annotation or runtime call whose own time, over all its calls, is at least half"
        " of the gap, on the thread that launched the next work; empty if there is none.",
    ),
    HOST_KIND,
    pct("host_pct", "Share of the gap that this own time is."),
    text("previous", "Work before the gap; empty at the start of the range."),
    text("next", "Work after the gap; empty at the end of the range."),
)

#: The columns of `longest_gaps`: those of whole devices, and the share of their idle time.
LONGEST_COLUMNS: Final[Columns] = (
    *(column for column in COLUMNS if column.name != "stream"),
    pct("of_idle_pct", "Share of the idle time of all devices."),
)


def idle_gaps(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    min_us: float = 0.0,
    kernel_us: float = KERNEL_US,
) -> pa.Table:
    """Return the gaps of each device, then those of its streams, each sorted by time.

    A device is idle while none of its kernels, copies and memory sets runs: these gaps sum to
    ``device_time.idle_us``. A stream is idle between pieces of work on it.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range set the window, as for `device_time`. All work of the devices ends
        idle time.
    min_us : float
        Minimum length of gaps, in microseconds.
    kernel_us : float
        Gaps shorter than this, in microseconds, that the host did not cause have the cause
        "kernel".
    """
    gaps = gaps_of_devices(model, filter_, min_us=min_us)
    return make_table(COLUMNS, _described(model, gaps, kernel_us))


def longest_gaps(
    model: TraceModel,
    filter_: Filter = NO_FILTER,
    *,
    most: int = 10,
    kernel_us: float = KERNEL_US,
) -> pa.Table:
    """Return the longest times in which a whole device was idle, the longest first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        As for `idle_gaps`.
    most : int
        Maximum number of gaps.
    kernel_us : float
        As for `idle_gaps`.
    """
    gaps = gaps_of_whole_devices(model, filter_)
    length = gaps.end - gaps.start
    most = min(max(int(most), 0), len(length))
    longest = np.arange(len(length))
    if 0 < most < len(length):  # the others are not sorted
        longest = np.flatnonzero(length >= np.partition(length, -most)[-most])
    longest = longest[np.argsort(-length[longest], kind="stable")][:most]
    data = _described(model, gaps.where(longest), kernel_us)
    data["of_idle_pct"] = ratio(length[longest], length.sum(), 100.0)
    return make_table(LONGEST_COLUMNS, data)


def _described(model: TraceModel, gaps: Gaps, kernel_us: float) -> dict[str, Any]:
    """Return the columns of gaps."""
    known, low, high = windows_on_threads(model, gaps)
    key, own = np.full(len(gaps.start), -1, np.int64), np.zeros(len(gaps.start), np.int64)
    key[known], own[known] = HostTimes.of(model).most(low, high)
    work = model.column("device", "name")
    return {
        "device_type": [device_type(model)] * len(gaps.start),
        "device": gaps.device,
        "stream": arrow_array(gaps.stream, mask=gaps.stream < 0),
        "start_us": us(gaps.start),
        "duration_us": us(gaps.end - gaps.start),
        **cause_texts(model, causes_of(model, gaps, kernel_us), key),
        "host_pct": ratio(own, np.where(key >= 0, gaps.end - gaps.start, 0), 100.0),
        "previous": texts(model, "device", "name", values_at(work, gaps.previous)),
        "next": texts(model, "device", "name", values_at(work, gaps.next)),
    }


TABLE: Final = TableSpec(
    name="idle_gaps",
    summary="when devices and streams were idle, and what they waited for",
    notes="Where stream is empty, the whole device is idle: these gaps sum to"
    " ``device_time.idle_us``.",
    columns=COLUMNS,
    make=idle_gaps,
    options=(
        Option("min_us", 0.0, "Only gaps of at least this length, in microseconds.", type=float),
        KERNEL_OPTION,
    ),
    keys=("device_type", "device", "stream", "start_us"),
    sort=("duration_us",),
    sums=("duration_us",),
    nouns=("gap", "gaps"),
    whole_devices=True,
)

LONGEST: Final = TableSpec(
    name="longest_gaps",
    summary="the longest times in which a whole device was idle, and what it waited for",
    columns=LONGEST_COLUMNS,
    make=longest_gaps,
    options=(
        Option("most", 10, "Maximum number of gaps.", type=int),
        KERNEL_OPTION,
    ),
    keys=("device_type", "device", "start_us"),
    sort=("duration_us",),
    sums=("duration_us",),
    nouns=("gap", "gaps"),
    whole_devices=True,
)
