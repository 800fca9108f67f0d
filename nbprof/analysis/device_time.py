"""Table `device_time`: computation, exposed communication, exposed copies, idle.

Communication is exposed where nothing computes, a copy where nothing computes or communicates, so
that computation + exposed communication + exposed copies + idle is the whole time. The definition
is that of AMD TraceLens, per device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.analysis.communication import device_communication
from nbprof.analysis.device_rows import device_type, devices_in, narrowed, work_of_kind, work_rows
from nbprof.analysis.grouping import NS_PER_US, share
from nbprof.model import contract, intervals, kinds, selection
from nbprof.model.filter import NO_FILTER, Filter
from nbprof.model.table import make_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace_model import TraceModel

    Mask = npt.NDArray[np.bool_]


def device_time(model: TraceModel, filter_: Filter = NO_FILTER, *, worker: str = "") -> pa.Table:
    """Return one row per device that did any work.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and times cut the time looked at, which otherwise goes from the first start to the
        last end of the device's kernels, copies and memory sets; all other fields narrow what is
        counted in it.
    worker : str
        What stands in the column of that name.
    """
    rows = narrowed(model, filter_)
    wanted = selection.window(model, filter_)
    device = model.column("device", "device")
    records: list[dict[str, Any]] = []
    for number in devices_in(model, filter_):
        here = device == number
        window = _span(model, here & work_rows(model)) if wanted is None else wanted
        times = _split(model, rows & here, window)
        communication, exposed = times["communication_us"], times["exposed_communication_us"]
        records.append(
            {
                "worker": worker,
                "device_type": device_type(model),
                "device": number,
                **{name: ns / NS_PER_US for name, ns in times.items()},
                "overlap_pct": share(communication - exposed, communication),
            }
        )
    names = [column.name for column in contract.DEVICE_TIME]
    return make_table(contract.DEVICE_TIME, {name: [r[name] for r in records] for name in names})


def _split(model: TraceModel, rows: Mask, window: IntervalSet) -> dict[str, int]:
    """Return the nanoseconds of each column."""
    communicates = device_communication(model)
    copies = work_of_kind(model, kinds.MEMCPY) & ~communicates
    computation = _union(model, rows & ~communicates & ~copies, window)
    communication = _union(model, rows & communicates, window)
    memcpy = _union(model, rows & copies, window)
    exposed_communication = intervals.subtract(communication, computation)
    exposed_memcpy = intervals.subtract(intervals.subtract(memcpy, computation), communication)
    total = intervals.measure(window)
    computed, alone, copied = map(
        intervals.measure, (computation, exposed_communication, exposed_memcpy)
    )
    return {
        "total_us": total,
        "computation_us": computed,
        "communication_us": intervals.measure(communication),
        "exposed_communication_us": alone,
        "memcpy_us": intervals.measure(memcpy),
        "exposed_memcpy_us": copied,
        "idle_us": total - computed - alone - copied,
    }


def _union(model: TraceModel, rows: Mask, window: IntervalSet) -> IntervalSet:
    start = model.column("device", "start_ns")[rows]
    end = start + model.column("device", "duration_ns")[rows]
    return intervals.intersect(intervals.union(start, end), window)


def _span(model: TraceModel, rows: Mask) -> IntervalSet:
    start = model.column("device", "start_ns")[rows]
    end = start + model.column("device", "duration_ns")[rows]
    return intervals.union(start.min(keepdims=True), end.max(keepdims=True))
