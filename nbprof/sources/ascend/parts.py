"""The files of an Ascend directory, by what they are called."""

from __future__ import annotations

from typing import Final

#: The directory that the files of a worker and span are in.
OUTPUT: Final = "ASCEND_PROFILER_OUTPUT"

TRACE_VIEW: Final = "trace_view.json"
KERNELS: Final = "kernel_details.csv"
OPERATORS: Final = "operator_details.csv"
OPERATOR_MEMORY: Final = "operator_memory.csv"
MEMORY_RECORD: Final = "memory_record.csv"
MODULE_MEMORY: Final = "npu_module_mem.csv"
STEP_TIMES: Final = "step_trace_time.csv"
COMMUNICATION: Final = "communication.json"

#: One of these is enough to show something.
CONTENT: Final = (
    TRACE_VIEW,
    KERNELS,
    OPERATORS,
    OPERATOR_MEMORY,
    MEMORY_RECORD,
    MODULE_MEMORY,
    STEP_TIMES,
    COMMUNICATION,
)
