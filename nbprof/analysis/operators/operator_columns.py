"""Columns of the table `operators`, by device and grouping."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, flag, pct, text, time

#: Columns of `operators`; the two keys are there where they are grouped by.
OPERATORS: Final[Columns] = (
    text("name", "Name of the operator."),
    text("input_shapes", "Shapes of the inputs, as JSON."),
    text("call_stack", "Python frames round the call, joined by ;."),
    count("calls", "Number of calls. A call straight inside one of the same name is one with it."),
    time(
        "device_self_us",
        "Time of the kernels that the operator launched itself, without those of operators it"
        " called.",
    ),
    time(
        "device_total_us",
        "Time of the kernels that the operator and those it called launched, added up.",
    ),
    time("host_self_us", "Time in the operator without operators and runtime calls inside it."),
    time("host_total_us", "Time in the operator, from start to end."),
    flag(
        "tensor_core_eligible",
        "Whether it, or an operator it called, could use matrix units (Tensor Cores, Matrix"
        " Cores).",
    ),
    pct(
        "matrix_unit_pct",
        "Share of the time of the kernels that it and those it called launched, in kernels that are"
        " known to use matrix units.",
    ),
    pct("matrix_unit_unknown_pct", "Share of the same kernel time of which that is unknown."),
    pct(
        "tensor_core_self_pct",
        "Share of its device self time, copies included, in kernels that are known to use matrix"
        " units.",
    ),
    pct("tensor_core_total_pct", "The same of its device total time."),
)

#: On an NPU AI Cores take the place of matrix units.
NPU_OPERATORS: Final[Columns] = (
    *(column for column in OPERATORS if not column.name.startswith(("tensor_core", "matrix_unit"))),
    flag("ai_core_eligible", "Whether it, or an operator it called, ran anything on AI Cores."),
    pct("ai_core_self_pct", "Share of its device self time on AI Cores."),
    pct("ai_core_total_pct", "Share of its device total time on AI Cores."),
)

#: Key columns that each grouping has, of the tables that can be grouped.
OPERATOR_GROUPS: Final = {
    "name": ("name",),
    "name+shape": ("name", "input_shapes"),
    "name+stack": ("name", "call_stack"),
}

#: What ``operators`` has besides.
OPERATOR_EXTREMES: Final[Columns] = (
    time("host_mean_us", "Mean time in a call, from start to end."),
    time("host_max_us", "Longest call on the host."),
    time("host_min_us", "Shortest call on the host."),
    pct("host_pct", "Share of the host times of all operators in this table, added up."),
    time("device_mean_us", "Mean device time of a call, operators that it called included."),
    time("device_max_us", "Most device time of a call."),
    time("device_min_us", "Least device time of a call."),
    pct("device_pct", "Share of the device times of all operators in this table, added up."),
)
