"""Tables `memory_curve` and `memory_categories`: memory over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import texts, us
from nbprof.analysis.memory.columns import DEVICE_COLUMNS, codes_matching, device_columns, known
from nbprof.analysis.memory.components import BOTH, all_allocators, components_of_device
from nbprof.analysis.memory.records import kept_devices, separates_reserved
from nbprof.analysis.memory.step_functions import UNKNOWN, MemorySteps
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

MEMORY_CURVE: Final[Columns] = (
    *DEVICE_COLUMNS,
    text("component", "Software component that holds the memory, if recorded."),
    time("time_us", "Time at which the values begin to hold, from the first event of the trace."),
    size(
        "allocated_bytes",
        "Memory in use by tensors; of memory snapshots, the bytes that the allocator took, as "
        "torch.cuda.memory_allocated counts them. If the memory in use at the start was not "
        "recorded, the smallest amount consistent with the records is assumed.",
    ),
    size("reserved_bytes", "Memory that the allocator has taken from the device."),
)

#: Additional columns for recorders that write the peaks so far with every record.
MEMORY_CURVE_PEAKS: Final[Columns] = (
    size("peak_allocated_bytes", "Peak memory in use up to this time, since the process started."),
    size("peak_reserved_bytes", "Peak memory reserved by the allocator up to this time."),
)

MEMORY_CATEGORIES: Final[Columns] = (
    count("device", "Number of the device, if the file has it."),
    time("time_us", "Time at which the value begins to hold, from the first event of the trace."),
    text("category", "Purpose of the memory: parameter, gradient, activation, …"),
    size("bytes", "Memory in use for it, until its next row."),
)


Rows = npt.NDArray[np.int64]


def memory_curve(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the memory of each device as a step function, device by device.

    Values of a row hold until the next row of its device and component. The curve starts with the
    memory at the start of the recording or, if the recorder tracks allocators, with its first
    record. In that case a device has a curve for each component, the first for all allocators.

    A filter cuts it to its range; each part of the range starts with the current values. Names,
    threads, streams and `within` are ignored; kinds without "memory" give no rows.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Range and devices.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_CURVE`, and those of `MEMORY_CURVE_PEAKS` if the recorder writes peaks
        with every record. Memory is null until the allocator reports it.
    """
    window = selection.window(model, filter_)
    devices = kept_devices(model, filter_) if holds_memory(filter_) else []
    lines = [line for device in devices for line in _lines(model, device)]
    points = [line.steps.points(window) for line in lines]
    count = [len(time) for _, time in points]
    pairs = list(zip(lines, points, strict=True))

    def all_of(name: str) -> Rows:
        values = (getattr(line.steps, name)[index] for line, (index, _) in pairs)
        return np.concatenate([np.empty(0, np.int64), *values])

    line = np.repeat(np.arange(len(lines)), count)
    columns = {
        **device_columns(model, np.array([one.device for one in lines], np.int64)[line]),
        "component": arrow_array([one.component for one in lines], pa.utf8()).take(
            arrow_array(line)
        ),
        "time_us": us(np.concatenate([np.empty(0, np.int64), *(time for _, time in points)])),
        "allocated_bytes": known(all_of("allocated")),
        "reserved_bytes": known(all_of("reserved")),
    }
    if not separates_reserved(model):
        return make_table(MEMORY_CURVE, columns)
    record = all_of("record")
    for name in ("peak_allocated", "peak_reserved"):
        peak = np.append(model.column("memory_extra", name), UNKNOWN)
        columns[f"{name}_bytes"] = known(peak[record])
    return make_table((*MEMORY_CURVE, *MEMORY_CURVE_PEAKS), columns)


class _Line(NamedTuple):
    """A step function of the curve, of a device or one of its components."""

    device: int
    component: str | None
    steps: MemorySteps


def _lines(model: TraceModel, device: int) -> list[_Line]:
    """Return the lines of a device, the total first."""
    whole = all_allocators(model, device)
    return [
        _Line(device, None if whole is None else BOTH, whole or memory_totals(model)[device]),
        *(
            _Line(device, one.name, one.steps)
            for one in components_of_device(model, device)
            if not one.is_module and one.name != BOTH
        ),
    ]


def memory_categories(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return memory over time by category, from files that record categories.

    The value of a row holds until the next row of its category. Under a filter, each part of the
    range starts with the current values; its name applies to categories.
    """
    time = model.column("memory_categories", "time_ns")
    code = model.column("memory_categories", "category").astype(np.int64)
    values = model.values("memory_categories", "category")
    keep = codes_matching(code, values, filter_.name)
    if filter_.devices is not None:
        keep &= np.isin(model.column("memory_categories", "device"), filter_.devices)
    if not holds_memory(filter_):
        keep[:] = False
    rows = np.flatnonzero(keep)
    window = selection.window(model, filter_)
    if window is not None:
        rows, at = _cut_to_window(rows, code[rows], time[rows], window)
    else:
        at = time[rows]
    return make_table(
        MEMORY_CATEGORIES,
        {
            "device": known(model.column("memory_categories", "device")[rows]),
            "time_us": us(at),
            "category": texts(model, "memory_categories", "category", code[rows]),
            "bytes": model.column("memory_categories", "bytes")[rows],
        },
    )


def holds_memory(filter_: Filter) -> bool:
    """Return whether the filter's kinds include memory records."""
    return filter_.kinds is None or "memory" in filter_.kinds


def _cut_to_window(rows: Rows, code: Rows, time: Rows, window: IntervalSet) -> tuple[Rows, Rows]:
    """Cut the step functions of the categories to intervals, each with its starting values."""
    records, times = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, end in zip(*(side.tolist() for side in window), strict=True):  # steps, not rows
        for category in np.unique(code).tolist():
            of = np.flatnonzero(code == category)
            first, last = np.searchsorted(time[of], [start, end])
            inside = of[max(first - 1, 0) : last]
            records.append(rows[inside])
            times.append(np.maximum(time[inside], start))
    place, at = np.concatenate(records), np.concatenate(times)
    order = np.argsort(at, kind="stable")
    return place[order], at[order]


CURVE_TABLE: Final = TableSpec(
    name="memory_curve",
    summary="the memory of every device over time",
    notes="Values of a row hold until the next row of its device and component.",
    columns=MEMORY_CURVE,
    extra_columns=MEMORY_CURVE_PEAKS,
    make=memory_curve,
    nouns=("record", "records"),
    needs="memory",
)

CATEGORIES_TABLE: Final = TableSpec(
    name="memory_categories",
    summary="memory over time by category",
    notes="Only files of `export_memory_timeline` contain it.",
    columns=MEMORY_CATEGORIES,
    make=memory_categories,
    nouns=("category", "categories"),
    needs="memory",
)
