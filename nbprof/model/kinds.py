"""The kinds of rows, with the fixed codes that their dictionary columns use.

A `kind` column is an Arrow dictionary whose values are exactly these tuples, so that code can
compare the int8 codes and never the text.
"""

from __future__ import annotations

from typing import Final

HOST_KINDS: Final = ("operator", "annotation", "step", "runtime", "python", "module")
OPERATOR, ANNOTATION, STEP, RUNTIME, PYTHON, MODULE = range(6)

DEVICE_KINDS: Final = ("kernel", "memcpy", "memset", "sync", "annotation")
KERNEL, MEMCPY, MEMSET, SYNC, DEVICE_ANNOTATION = range(5)

#: What `Filter.kinds` accepts.
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

#: Numbers of `c10::DeviceType` that appear in `[memory]` records, and the names used for them.
DEVICE_TYPES: Final = {0: "cpu", 1: "gpu", 6: "gpu", 12: "xpu", 20: "device20"}

#: The eight categories of a step's time, in order of priority, which is also the order they are
#: stacked in: what their column starts with, and their name.
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
