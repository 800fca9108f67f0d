"""Tables `memory_curve` and `memory_categories`: memory over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import texts, us
from nbprof.analysis.memory.columns import device_columns, known, named_so
from nbprof.analysis.memory.components import BOTH, components, whole_of
from nbprof.analysis.memory.records import kept_devices, tells_reserved
from nbprof.analysis.memory.steps import UNKNOWN, MemorySteps
from nbprof.analysis.memory.totals import memory_totals
from nbprof.model.contract import memory as contract
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


def memory_curve(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the memory of every device as a step function, device by device.

    A row's figures hold until the next row of its device and component. The curve starts with what
    was there at the start of the recording; where the recorder follows allocators, with the first
    that it says of them. A device has a curve for each component then, first for all allocators.

    Under a filter it is cut to the range: every part of that starts with the figures in force
    there. Names, threads, streams and what work is within do not narrow it; kinds without "memory"
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
        Columns of `contract_memory.MEMORY_CURVE`, and of recorders that say peaks with every record
        of `contract_memory.MEMORY_CURVE_PEAKS`. Memory is null until the allocator has said it.
    """
    window = selection.window(model, filter_)
    kept = kept_devices(model, filter_) if holds_memory(filter_) else []
    lines = [line for device in kept for line in _lines(model, device)]
    points = [line.steps.points(window) for line in lines]
    count = [len(time) for _, time in points]
    pairs = list(zip(lines, points, strict=True))

    def all_of(name: str) -> Rows:
        values = (getattr(line.steps, name)[index] for line, (index, _) in pairs)
        return np.concatenate([np.empty(0, np.int64), *values])

    line = np.repeat(np.arange(len(lines)), count)
    columns = {
        **device_columns(model, np.array([one.device for one in lines], np.int64)[line]),
        "component": pa.array([one.component for one in lines], pa.utf8()).take(pa.array(line)),
        "time_us": us(np.concatenate([np.empty(0, np.int64), *(time for _, time in points)])),
        "allocated_bytes": known(all_of("allocated")),
        "reserved_bytes": known(all_of("reserved")),
    }
    if not tells_reserved(model):
        return make_table(contract.MEMORY_CURVE, columns)
    record = all_of("record")
    for name in ("peak_allocated", "peak_reserved"):
        peak = np.append(model.column("memory_extra", name), UNKNOWN)
        columns[f"{name}_bytes"] = known(peak[record])
    return make_table((*contract.MEMORY_CURVE, *contract.MEMORY_CURVE_PEAKS), columns)


class _Line(NamedTuple):
    """A step function of the curve: of a device, or of a component of it."""

    device: int
    component: str | None
    steps: MemorySteps


def _lines(model: TraceModel, device: int) -> list[_Line]:
    """Return the lines of a device, that of all its memory first."""
    whole = whole_of(model, device)
    parts = (one for one in components(model) if one.device == device and not one.is_module)
    return [
        _Line(device, None if whole is None else BOTH, whole or memory_totals(model)[device]),
        *(_Line(device, one.name, one.steps) for one in parts if one.name != BOTH),
    ]


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


CURVE_TABLE: Final = TableSpec(
    name="memory_curve",
    summary="the memory of every device over time",
    notes="The figures of a row hold until the next row of its device and component.",
    columns=contract.MEMORY_CURVE,
    extra_columns=contract.MEMORY_CURVE_PEAKS,
    make=memory_curve,
    nouns=("record", "records"),
)

CATEGORIES_TABLE: Final = TableSpec(
    name="memory_categories",
    summary="what memory is for over time",
    notes="Files of `export_memory_timeline` tell it.",
    columns=contract.MEMORY_CATEGORIES,
    make=memory_categories,
)
