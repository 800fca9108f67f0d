"""Tables `memory_curve` and `memory_categories`: memory over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import texts, us
from nbprof.analysis.memory_columns import device_columns, known, named_so
from nbprof.analysis.memory_records import kept_devices
from nbprof.analysis.memory_totals import memory_totals
from nbprof.model import contract_memory as contract
from nbprof.model import selection
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.table import make_table

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace_model import TraceModel

Rows = npt.NDArray[np.int64]


def memory_curve(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the memory of every device as a step function, device by device.

    A row's figures hold until the device's next row. The curve starts with what was there at the
    start of the recording. Under a filter it is cut to the range: every part of that starts with
    the figures in force there. Names, threads and streams do not narrow it; kinds without "memory"
    leave nothing of it.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Range and devices.

    Returns
    -------
    pyarrow.Table
        Columns of `contract_memory.MEMORY_CURVE`. Reserved memory is null until the allocator has
        said it.
    """
    window = selection.window(model, filter_)
    kept = kept_devices(model, filter_) if holds_memory(filter_) else []
    totals = [memory_totals(model)[index] for index in kept]
    points = [of_device.points(window) for of_device in totals]
    none = np.empty(0, np.int64)
    device = np.repeat(np.array(kept, np.int64), [len(time) for _, time in points])
    pairs = list(zip(totals, points, strict=True))
    allocated = [one.allocated[index] for one, (index, _) in pairs]
    reserved = [one.reserved[index] for one, (index, _) in pairs]
    return make_table(
        contract.MEMORY_CURVE,
        {
            **device_columns(model, device),
            "component": None,
            "time_us": us(np.concatenate([none, *(time for _, time in points)])),
            "allocated_bytes": np.concatenate([none, *allocated]),
            "reserved_bytes": known(np.concatenate([none, *reserved])),
        },
    )


def memory_categories(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return what memory is for over time, of files that tell.

    A row's figure holds until the next row of its category. Under a filter every part of the range
    starts with the figures in force; its name narrows categories.
    """
    time = model.column("memory_categories", "time_ns")
    code = model.column("memory_categories", "category").astype(np.int64)
    values = model.values("memory_categories", "category")
    keep = named_so(code, values, filter_.name)
    if filter_.devices is not None:
        keep &= np.isin(model.column("memory_categories", "device"), filter_.devices)
    if not holds_memory(filter_):
        keep[:] = False
    rows = np.flatnonzero(keep)
    window = selection.window(model, filter_)
    if window is not None:
        rows, at = _cut(rows, code[rows], time[rows], window)
    else:
        at = time[rows]
    return make_table(
        contract.MEMORY_CATEGORIES,
        {
            "device": known(model.column("memory_categories", "device")[rows]),
            "time_us": us(at),
            "category": texts(model, "memory_categories", "category", code[rows]),
            "bytes": model.column("memory_categories", "bytes")[rows],
        },
    )


def holds_memory(filter_: Filter) -> bool:
    """Whether the filter's kinds let memory records through."""
    return filter_.kinds is None or "memory" in filter_.kinds


def _cut(rows: Rows, code: Rows, time: Rows, window: IntervalSet) -> tuple[Rows, Rows]:
    """Cut the step functions of the categories to some intervals, each with its starting values."""
    found, times = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, end in zip(*(side.tolist() for side in window), strict=True):  # steps, not rows
        for category in np.unique(code).tolist():
            of = np.flatnonzero(code == category)
            first, last = np.searchsorted(time[of], [start, end])
            inside = of[max(first - 1, 0) : last]
            found.append(rows[inside])
            times.append(np.maximum(time[inside], start))
    place, at = np.concatenate(found), np.concatenate(times)
    order = np.argsort(at, kind="stable")
    return place[order], at[order]
