"""Table `device_summary`: properties of each device and its utilization during the steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.devices import device_summary_host_steps
from nbprof.analysis.devices.device_intervals import time_within
from nbprof.analysis.devices.device_rows import (
    device_type,
    devices_in,
    kept_device_rows,
    work_of_kind,
)
from nbprof.analysis.devices.occupancy import RunningKernels
from nbprof.analysis.grouping import latest, share
from nbprof.analysis.kernels.matrix_devices import units_are_known, with_term
from nbprof.analysis.kernels.matrix_units import Shares, times_by_group
from nbprof.analysis.kernels.npu_cores import has_cores
from nbprof.analysis.kernels.npu_kernels import ai_core_shares
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model import intervals
from nbprof.model.contract.columns import Columns, count, pct, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import Column, make_table
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.trace import kinds
from nbprof.model.trace.device_properties import device_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.contract.columns import Columns
    from nbprof.model.intervals import IntervalSet
    from nbprof.model.trace.model import TraceModel

DEVICE_SUMMARY: Final[Columns] = (
    text("device_type", "Type of device: gpu, npu, …"),
    count("device", "Number of the device."),
    text("name", "Name of the device."),
    Column("memory_gb", pa.float64(), "GB", "Memory of the device, in units of 1024³ bytes."),
    text("compute_capability", "Major and minor number of its compute capability."),
    pct("utilization_pct", "Share of the time, from first to last step, with a kernel running."),
    pct("sm_efficiency_pct", "Share of multiprocessors in use, estimated from blocks per SM."),
    pct(
        "occupancy_pct",
        "Estimated achieved occupancy, weighted by kernel time. A recorded 0 that cannot be is "
        "computed from the launch configuration.",
    ),
    pct("occupancy_unknown_pct", "Share of kernel time in kernels whose occupancy is unknown."),
    pct(
        "matrix_unit_pct",
        "Share of kernel time in kernels known to use matrix units (Tensor Cores, Matrix Cores).",
    ),
    pct("matrix_unit_unknown_pct", "Share of kernel time in kernels for which this is unknown."),
    pct("tensor_core_pct", "Former name of matrix_unit_pct."),
    pct("idle_pct", "Share of that time with no kernel, copy or memory set running."),
)

#: Columns on an NPU.
NPU_SUMMARY: Final[Columns] = (
    *DEVICE_SUMMARY,
    pct(
        "ai_core_pct",
        "Share of kernel time, without communication, in kernels that run on AI Cores.",
    ),
)

#: Additional columns, with values only in the row of the CPU.
CPU_COLUMNS: Final[Columns] = (
    pct(
        "process_cpu_pct",
        "CPU time of the process, as a share of the recorded time; can exceed 100 on "
        "several cores.",
    ),
    pct("system_cpu_pct", "CPU time of all processes, as a share of the recorded time."),
)


GIB = 1024**3

#: What the utilization is called where many kernels were not recorded.
AT_LEAST: Final = "utilization, at least"


def device_summary(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return one row per device that did any work, of all of its work.

    Shares of time refer to the span from the first to the last complete step inside the filter's
    range, including gaps between steps. Shares of matrix units, on NPUs of AI Cores, refer to whole
    kernels, as in `kernels`. The definitions are those of the PyTorch TensorBoard plugin. If the
    recorder's own tools refer to the steps on the host, their definitions are used
    (`analysis/devices/device_summary_host_steps.py`), and the first row is the CPU, in columns of
    its own.
    """
    filter_ = filter_.of_devices
    return latest(model, "device_summary", filter_, lambda: _device_summary(model, filter_))


def _device_summary(model: TraceModel, filter_: Filter) -> pa.Table:
    if model.capabilities.host_step_shares:
        return _of_host_steps(model, filter_)
    window = break_down(model, filter_).window()
    columns = NPU_SUMMARY if has_cores(model) else DEVICE_SUMMARY
    devices = devices_in(model, filter_)
    kind = device_type(model)
    parts = _activity(model, filter_, window), _core_shares(model, filter_, devices)
    records = [
        {"device_type": kind, "device": number, **_properties(model, number), **active, **cores}
        for number, active, cores in zip(devices, *parts, strict=True)
    ]
    return _table(model, columns, records)


def _table(model: TraceModel, columns: Columns, records: list[dict[str, Any]]) -> pa.Table:
    columns = with_term(model, columns)
    if LostLaunches.of(model).many:
        columns = tuple(map(_lower_bound, columns))
    return make_table(columns, {c.name: [r.get(c.name) for r in records] for c in columns})


def _lower_bound(column: Column) -> Column:
    """Return the column of the utilization as a lower bound, and others as they are."""
    if column.name != "utilization_pct":
        return column
    meaning = f"At least: many launches have no kernel in the trace. {column.meaning}"
    return replace(column, term=AT_LEAST, meaning=meaning)


def _of_host_steps(model: TraceModel, filter_: Filter) -> pa.Table:
    records: list[dict[str, Any]] = []
    if filter_.devices is None:  # the CPU has no number
        records.append(device_summary_host_steps.cpu(model))
    for number, active in device_summary_host_steps.activity(model, filter_).items():
        known = {"device_type": device_type(model), "device": number, **_properties(model, number)}
        records.append(known | active)
    columns = (*DEVICE_SUMMARY, *CPU_COLUMNS)
    return _table(model, columns, records)


def _properties(model: TraceModel, number: int) -> dict[str, Any]:
    """Return the recorded properties of a device, found by its id, not by its position."""
    properties = device_properties(model, number)
    memory, major, minor = (
        properties[key] for key in ("memory_bytes", "compute_major", "compute_minor")
    )
    return {
        "name": properties["name"] or None,
        "memory_gb": memory / GIB if memory is not None and memory >= 0 else None,
        "compute_capability": f"{major}.{minor}" if major is not None and major >= 0 else None,
    }


def _activity(
    model: TraceModel, filter_: Filter, window: IntervalSet
) -> list[dict[str, float | None]]:
    """Return the utilization of each device in a window of at most one interval."""
    length = intervals.measure(window)
    kernels, work = (
        time_within(model, filter_, name, *window).tolist() for name in ("kernels", "work")
    )
    return [
        {
            "utilization_pct": share(kernels[at], length),
            "sm_efficiency_pct": running.sm_efficiency(window),
            **running.occupancy(window),
            "idle_pct": share(length - work[at], length),
        }
        for at, running in enumerate(RunningKernels.of_devices(model, filter_))
    ]


def _core_shares(
    model: TraceModel, filter_: Filter, devices: Sequence[int]
) -> list[dict[str, float | None]]:
    """Return the shares of matrix units of each device, on an NPU the share of AI Cores."""
    rows = np.flatnonzero(kept_device_rows(model, filter_) & work_of_kind(model, kinds.KERNEL))
    device = np.searchsorted(devices, model.column("device", "device")[rows])
    if has_cores(model):
        return [
            {"ai_core_pct": of_device}
            for of_device in ai_core_shares(model, rows, device, len(devices))
        ]
    times = times_by_group(model, rows, device, len(devices))
    knows = units_are_known(model, devices)
    shares = [
        Shares(*(int(times[name][at]) for name in ("total", "used", "unknown"))).columns
        for at in range(len(devices))
    ]
    return [
        columns if known else dict.fromkeys(columns)
        for columns, known in zip(shares, knows, strict=True)
    ]


TABLE: Final = TableSpec(
    name="device_summary",
    summary="properties and utilization of every device",
    columns=DEVICE_SUMMARY,
    extra_columns=(*NPU_SUMMARY, *CPU_COLUMNS),
    make=device_summary,
    scope="both",
    keys=("device_type", "device"),
    nouns=("summary of a device", "summaries of devices"),
    needs="device",
    whole_devices=True,
    step_parts="nbprof.analysis.steps.step_parts_devices:device_summary_parts",
)
