"""Table `device_time`: computation, exposed communication, exposed copies, idle.

Communication is exposed while nothing computes, a copy while nothing computes or communicates. So
computation + exposed communication + exposed copies + idle is the total time. The definition is
that of AMD TraceLens, applied per device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.devices.device_intervals import device_spans, time_within
from nbprof.analysis.devices.device_rows import device_type, devices_in
from nbprof.analysis.grouping import NS_PER_US, latest, share
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

DEVICE_TIME: Final[Columns] = (
    text("worker", "Process that used the device."),
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device."),
    time("total_us", "From the first to the last device work, or the range of the filter."),
    time("computation_us", "Time with a kernel or memory set running, without communication."),
    time("communication_us", "Time with communication running."),
    time("exposed_communication_us", "Communication that no computation hides."),
    time("memcpy_us", "Time with a copy running."),
    time("exposed_memcpy_us", "Copies that neither computation nor communication hides."),
    time("idle_us", "Time with nothing running on the device."),
    pct("overlap_pct", "Share of communication that computation hides."),
)


def device_time(model: TraceModel, filter_: Filter = NO_FILTER, *, worker: str = "") -> pa.Table:
    """Return one row per device that did any work.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Steps and time range set the window, by default from the first start to the last end of the
        device's kernels, copies and memory sets. All work of the devices counts.
    worker : str
        Value of the column of that name.
    """
    times = device_times(model, filter_)
    records = [{"worker": worker, **record} for record in times]
    names = [column.name for column in DEVICE_TIME]
    return make_table(DEVICE_TIME, {name: [r[name] for r in records] for name in names})


def device_times(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    """Return the rows of the table without the worker; cached by filter."""
    filter_ = filter_.of_devices
    return latest(model, "device times", filter_, lambda: _device_times(model, filter_))


def _device_times(model: TraceModel, filter_: Filter) -> list[dict[str, Any]]:
    devices = np.array(devices_in(model, filter_), np.int64)
    wanted = selection.window(model, filter_)
    if wanted is None:
        low, high = (times[:, np.newaxis] for times in device_spans(model, devices))
    else:
        low, high = wanted
    time = {name: time_within(model, filter_, name, low, high) for name in _MEASURED}
    total = np.broadcast_to((high - low).sum(axis=-1), devices.shape)
    alone, copied = time["exposed_communication"], time["exposed_memcpy"]
    time |= {"total": total, "idle": total - time["computation"] - alone - copied}
    kind = device_type(model)
    rows = zip(devices.tolist(), *(times.tolist() for times in time.values()), strict=True)
    records = []
    for device, *times in rows:
        of = dict(zip(time, times, strict=True))
        communication = of["communication"]
        records.append(
            {
                "device_type": kind,
                "device": device,
                **{f"{name}_us": of[name] / NS_PER_US for name in _TIMES},
                "overlap_pct": share(communication - of["exposed_communication"], communication),
            }
        )
    return records


#: The kinds of work that are measured, and the times of the table in order.
_MEASURED: Final = (
    "computation",
    "communication",
    "exposed_communication",
    "memcpy",
    "exposed_memcpy",
)
_TIMES: Final = ("total", *_MEASURED, "idle")


TABLE: Final = TableSpec(
    name="device_time",
    summary="the computation, exposed communication, copies and idle time of devices",
    columns=DEVICE_TIME,
    make=device_time,
    scope="both",
    trace_arguments=("worker",),
    keys=("worker", "device_type", "device"),
    nouns=("time of a device", "times of devices"),
    needs="device",
    whole_devices=True,
    step_parts="nbprof.analysis.steps.step_parts_devices:device_time_parts",
)
