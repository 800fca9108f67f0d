"""Columns of the table `operators`, by device and grouping."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, flag, pct, size, text, time

#: Columns of `operators`; input_shapes and call_stack appear only if they are grouped by.
OPERATORS: Final[Columns] = (
    text("name", "Name of the operator."),
    text("input_shapes", "Shapes of the inputs, as JSON."),
    text("call_stack", "Python frames around the call, joined by ;."),
    count(
        "calls",
        "Number of calls. A call directly inside a call of the same name is not counted "
        "separately.",
    ),
    time(
        "device_self_us",
        "Time of the kernels launched by the operator itself, without those of operators "
        "it called.",
    ),
    time(
        "device_total_us",
        "Total time of the kernels launched by the operator and the operators it called.",
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
        "Share of the kernel time of the operator and the operators it called, in kernels "
        "known to use matrix units.",
    ),
    pct("matrix_unit_unknown_pct", "Share of that kernel time for which this is unknown."),
    pct(
        "tensor_core_self_pct",
        "Share of its device self time, copies included, in kernels known to use matrix units.",
    ),
    pct("tensor_core_total_pct", "Share of its device total time, likewise."),
    time("host_mean_us", "Mean time in a call, from start to end."),
    pct("host_self_pct", "Share of host_self_us of all operators in this table."),
    pct(
        "host_total_pct",
        "host_total_us as a share of host_self_us of all operators in this table. Shares of nested "
        "calls overlap, and calls of the runtime are in no self time, so it may exceed 100.",
    ),
    time("device_mean_us", "Mean device time of a call, including the operators it called."),
    pct("device_self_pct", "Share of device_self_us of all operators in this table."),
    pct(
        "device_total_pct",
        "device_total_us as a share of device_self_us of all operators in this table. Shares of "
        "nested calls overlap.",
    ),
    size(
        "host_memory_self_bytes",
        "Bytes of host memory that the operator allocated, less those that it released, without "
        "the operators it called.",
    ),
    size("host_memory_total_bytes", "The same with the operators it called."),
    size(
        "device_memory_self_bytes",
        "Bytes of device memory that the operator allocated, less those that it released, without "
        "the operators it called.",
    ),
    size("device_memory_total_bytes", "The same with the operators it called."),
)

#: Columns on an NPU: AI Cores replace matrix units.
NPU_OPERATORS: Final[Columns] = (
    *(column for column in OPERATORS if not column.name.startswith(("tensor_core", "matrix_unit"))),
    flag("ai_core_eligible", "Whether it, or an operator it called, ran anything on AI Cores."),
    pct("ai_core_self_pct", "Share of its device self time on AI Cores."),
    pct("ai_core_total_pct", "Share of its device total time on AI Cores."),
)

#: Key columns of each grouping.
OPERATOR_GROUPS: Final = {
    "name": ("name",),
    "name+shape": ("name", "input_shapes"),
    "name+stack": ("name", "call_stack"),
}

#: Additional columns for recorders whose tools show extremes of calls.
OPERATOR_EXTREMES: Final[Columns] = (
    time("host_max_us", "Longest call on the host."),
    time("host_min_us", "Shortest call on the host."),
    pct("host_pct", "Share of the total host time of all operators in this table."),
    time("device_max_us", "Longest device time of a call."),
    time("device_min_us", "Shortest device time of a call."),
    pct("device_pct", "Share of the total device time of all operators in this table."),
)
