"""Kinds of host and device rows with their codes, types of devices, and categories of step time.

A `kind` column is an Arrow dictionary whose values are exactly these tuples, so that code can
compare the int8 codes and never the text.
"""

from __future__ import annotations

from typing import Final

#: A phase is a part of an operator, such as shape inference, and not an operator itself. A library
#: call is one of the operating system or of a library, such as cuBLAS or MPI. Overhead is work of
#: the profiler itself, such as emptying its buffers; the file does not say on which thread.
HOST_KINDS: Final = (
    "operator",
    "annotation",
    "step",
    "runtime",
    "python",
    "module",
    "phase",
    "library",
    "overhead",
)
OPERATOR, ANNOTATION, STEP, RUNTIME, PYTHON, MODULE, PHASE, LIBRARY, OVERHEAD = range(9)

#: A task is a part of device work that is already counted, such as one transfer of a collective.
DEVICE_KINDS: Final = ("kernel", "memcpy", "memset", "sync", "annotation", "task")
KERNEL, MEMCPY, MEMSET, SYNC, DEVICE_ANNOTATION, TASK = range(6)

#: Before the kind of device work where kinds of both sides are written.
DEVICE_PREFIX: Final = "device "

#: Valid values of `Filter.kinds`.
FILTER_KINDS: Final = (
    "operator",
    "annotation",
    "runtime",
    "python",
    "module",
    "kernel",
    "memcpy",
    "memset",
    "memory",
)

#: Number of Ascend devices: PyTorch gives all private backends the same number.
NPU_TYPE: Final = 1000

#: Number of host memory pinned for copies to GPUs, which Paddle counts separately.
PINNED_TYPE: Final = 1001

#: Number of devices that Paddle names and that have no number of their own.
OTHER_TYPE: Final = 1002

#: Numbers of `c10::DeviceType` that appear in `[memory]` records, and the names used for them.
DEVICE_TYPES: Final = {
    0: "cpu",
    1: "gpu",
    6: "gpu",
    12: "xpu",
    15: "hpu",
    19: "mtia",
    20: "privateuse1",
    NPU_TYPE: "npu",
    PINNED_TYPE: "gpu_pinned",
    OTHER_TYPE: "device",
}

#: The eight categories of a step's time: prefix of the column, and name. The order is that of
#: priority and of stacking in charts.
CATEGORIES: Final = {
    "kernel": "Kernel",
    "memcpy": "Memcpy",
    "memset": "Memset",
    "communication": "Communication",
    "runtime": "Runtime",
    "dataloader": "DataLoader",
    "cpu_exec": "CPU Exec",
    "other": "Other",
}
