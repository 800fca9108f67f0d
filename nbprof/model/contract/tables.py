"""The result tables: every column with its type, unit and one-line meaning.

The views show the meanings on hover and the command line in its help, so that what a number is
gets said in one place.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns
from nbprof.model.contract.columns import count as _count
from nbprof.model.contract.columns import flag as _flag
from nbprof.model.contract.columns import pct as _pct
from nbprof.model.contract.columns import text as _text
from nbprof.model.contract.columns import time as _time
from nbprof.model.contract.table import Column

WARNINGS: Final[Columns] = (
    _text("kind", "What was repaired, dropped or odd."),
    _count("count", "How often it was met."),
    _text("example", "The first one."),
)

STEPS: Final[Columns] = (
    _count(
        "step",
        "Number of the step, N of ProfilerStep#N; of a label that was chosen as the step, the"
        " number in it that counts, else from 0.",
    ),
    _time("start_us", "Start of the step, from the first event of the trace."),
    _time("end_us", "End of the step: of its host range or of the last device work it launched."),
    _time("total_us", "Length of the step. The eight categories sum to it."),
    _time("kernel_us", "Time with a kernel running, communication apart."),
    _time("memcpy_us", "Time with a copy running and no kernel."),
    _time("memset_us", "Time with a memory set running and no kernel or copy."),
    _time("communication_us", "Time with communication running and no other device work."),
    _time("runtime_us", "Time with a runtime or driver call running and no device work."),
    _time("dataloader_us", "Time waiting for the data loader, no device work or runtime call."),
    _time("cpu_exec_us", "Time in operators and annotations on the host, nothing of the above."),
    _time("other_us", "Time in none of the categories."),
    _flag("complete", "False where the recording or the time range cuts the step."),
)

OVERVIEW: Final[Columns] = (
    _text(
        "category", "What the time of a step goes to. Each moment counts for the first that fits."
    ),
    _time("avg_us", "Mean over the complete steps."),
    _pct("pct", "Share of the average step."),
)

DEVICE_SUMMARY: Final[Columns] = (
    _text("device_type", "Kind of device: gpu, npu, …"),
    _count("device", "Number of the device."),
    _text("name", "Name of the device."),
    Column("memory_gb", pa.float64(), "GB", "Memory of the device, in units of 1024³ bytes."),
    _text("compute_capability", "Major and minor number of its compute capability."),
    _pct("utilization_pct", "Share of the time, from first to last step, with a kernel running."),
    _pct("sm_efficiency_pct", "Share of multiprocessors in use, estimated from blocks per SM."),
    _pct("occupancy_pct", "Estimated achieved occupancy, weighted by kernel time."),
    _pct(
        "matrix_unit_pct",
        "Share of kernel time in kernels that are known to use matrix units (Tensor Cores, Matrix"
        " Cores).",
    ),
    _pct("matrix_unit_unknown_pct", "Share of kernel time of which that is unknown."),
    _pct("tensor_core_pct", "The same as matrix_unit_pct, under its former name."),
    _pct("idle_pct", "Share of the same time with no kernel, copy or memory set running."),
)

DEVICE_TIME: Final[Columns] = (
    _text("worker", "Process that used the device."),
    _text("device_type", "Kind of device: gpu, npu, …"),
    _count("device", "Number of the device."),
    _time("total_us", "From the first to the last device work, or the range of the filter."),
    _time("computation_us", "Time with a kernel or memory set running, communication apart."),
    _time("communication_us", "Time with communication running."),
    _time("exposed_communication_us", "Communication that no computation hides."),
    _time("memcpy_us", "Time with a copy running."),
    _time("exposed_memcpy_us", "Copies that neither computation nor communication hides."),
    _time("idle_us", "Time with nothing running on the device."),
    _pct("overlap_pct", "Share of communication that computation hides."),
)

RECOMMENDATIONS: Final[Columns] = (
    _text("rule", "Short name of the rule."),
    _text("severity", "high, medium or low."),
    _text("message", "What was found, with its number."),
    _text("advice", "What to try."),
    _text("evidence", "JSON: the table, filter and value that show it."),
)

#: On an NPU there is one more.
NPU_SUMMARY: Final[Columns] = (
    *DEVICE_SUMMARY,
    _pct(
        "ai_core_pct",
        "Share of kernel time, communication apart, in kernels that run on AI Cores.",
    ),
)

#: Columns of `operators`; the two keys are there where they are grouped by.
OPERATORS: Final[Columns] = (
    _text("name", "Name of the operator."),
    _text("input_shapes", "Shapes of the inputs, as JSON."),
    _text("call_stack", "Python frames round the call, joined by ;."),
    _count("calls", "Number of calls. A call straight inside one of the same name is one with it."),
    _time(
        "device_self_us",
        "Time of the kernels that the operator launched itself, without those of operators it"
        " called.",
    ),
    _time(
        "device_total_us",
        "Time of the kernels that the operator and those it called launched, added up.",
    ),
    _time("host_self_us", "Time in the operator without operators and runtime calls inside it."),
    _time("host_total_us", "Time in the operator, from start to end."),
    _flag(
        "tensor_core_eligible",
        "Whether it, or an operator it called, could use matrix units (Tensor Cores, Matrix"
        " Cores).",
    ),
    _pct(
        "matrix_unit_pct",
        "Share of the time of the kernels that it and those it called launched, in kernels that are"
        " known to use matrix units.",
    ),
    _pct("matrix_unit_unknown_pct", "Share of the same kernel time of which that is unknown."),
    _pct(
        "tensor_core_self_pct",
        "Share of its device self time, copies included, in kernels that are known to use matrix"
        " units.",
    ),
    _pct("tensor_core_total_pct", "The same of its device total time."),
)

#: On an NPU AI Cores take the place of matrix units.
NPU_OPERATORS: Final[Columns] = (
    *(column for column in OPERATORS if not column.name.startswith(("tensor_core", "matrix_unit"))),
    _flag("ai_core_eligible", "Whether it, or an operator it called, ran anything on AI Cores."),
    _pct("ai_core_self_pct", "Share of its device self time on AI Cores."),
    _pct("ai_core_total_pct", "Share of its device total time on AI Cores."),
)

USER_EVENTS: Final[Columns] = (
    _text("name", "Name given to record_function."),
    _count("calls", "Number of times."),
    _time("host_total_us", "Time inside it, added up."),
    _time("host_mean_us", "Mean time inside it."),
    _time("host_max_us", "Longest time inside it."),
    _time("host_min_us", "Shortest time inside it."),
    _time("device_total_us", "Time of the device work launched inside it, added up."),
    _time("device_mean_us", "Device time per call."),
)

SLICES: Final[Columns] = (
    _text("side", "host or device."),
    _count("row", "Row in the table of that side, in the model of the trace."),
    _text("name", "Name of the slice."),
    _text("category", "What it is, as the timeline colours it: operator, runtime, kernel, …"),
    _text("lane", "Lane of the timeline: cpu:process:thread or gpu:device:stream."),
    _count("depth", "Row of the lane, from 0. Slices that overlap are on rows of their own."),
    _time("start_us", "Start, from the first event of the trace."),
    _time("duration_us", "Time from start to end."),
    _time(
        "self_us",
        "Time without the slices inside: of operators, without operators and runtime calls.",
    ),
)

SLICE_SUMMARY: Final[Columns] = (
    _text("side", "host or device."),
    _text("name", "Name of the slices."),
    _count("count", "Slices that reach into the range."),
    _time("total_us", "Time of the slices inside the range, added up."),
    _time("self_us", "Time inside the range without the slices inside them, added up."),
    _time("mean_us", "Mean time inside the range."),
)

#: Key columns that each grouping has, of the tables that can be grouped.
OPERATOR_GROUPS: Final = {
    "name": ("name",),
    "name+shape": ("name", "input_shapes"),
    "name+stack": ("name", "call_stack"),
}


def grouped(columns: Columns, groups: dict[str, tuple[str, ...]], group_by: str) -> Columns:
    """Return the columns that a table has under one grouping.

    Parameters
    ----------
    columns : tuple of Column
        All columns, `OPERATORS` for example.
    groups : dict
        Key columns by grouping, as `OPERATOR_GROUPS`.
    group_by : str
        A key of `groups`.
    """
    keys = {key for group in groups.values() for key in group}
    wanted = groups[group_by]
    return tuple(c for c in columns if c.name not in keys or c.name in wanted)
