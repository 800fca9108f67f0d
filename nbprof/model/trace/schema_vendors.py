"""Arrow schemas of tables that only some recorders fill.

These tables are empty for all others. The rules of `nbprof.model.trace.schema` hold: row numbers
are keys, missing integers are -1, missing floats NaN, text that may be missing is null.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

TEXT: Final = pa.dictionary(pa.int32(), pa.utf8())

#: The recorder's own name of the type of every host row, in the order of HOST, or no rows at all.
HOST_TYPES: Final = pa.schema([("event_type", TEXT)])

#: Whether a slice was recorded without a category: one row for every row of HOST or DEVICE, in its
#: order, or no rows.
CATEGORIES: Final = pa.schema([("is_missing", pa.bool_())])

#: Names of timeline lanes that do not follow from threads, streams and processes, in screen order.
#: Device lanes that are not streams have stream numbers of -2 and below.
LANES: Final = pa.schema(
    [
        ("side", pa.utf8()),  # host, device or counter
        ("place", pa.int64()),  # row in THREADS; number of the device; pid of the counters
        ("stream", pa.int64()),  # of device lanes
        ("group", pa.utf8()),  # Python, CANN, Ascend Hardware, HCCL, …
        ("name", pa.utf8()),
    ]
)

#: Calls of operators with the recorder's own times, sorted by start if known.
MEASURED_OPERATORS: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in HOST, -1 if no start was recorded
        ("name", TEXT),
        ("input_shapes", TEXT),  # JSON text
        ("call_stack", TEXT),  # frames joined by ";"
        ("host_self_us", pa.float64()),
        ("host_total_us", pa.float64()),
        ("device_self_us", pa.float64()),
        ("device_total_us", pa.float64()),
        ("ai_core_self_us", pa.float64()),  # the part of device_self_us on AI Cores
        ("ai_core_total_us", pa.float64()),
    ]
)

#: Details of NPU kernels, one row per kernel, ascending by `row`. After these columns there is one
#: for each metric of the recording, under its recorded name: float64 where all values are numbers
#: or missing, else TEXT.
NPU_KERNELS: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in DEVICE
        ("step", pa.int64()),
        ("type", TEXT),
        ("accelerator_core", TEXT),
        ("wait_us", pa.float64()),
        ("block_dim", pa.int64()),
        ("mix_block_dim", pa.int64()),
        ("task", pa.int64()),
        ("model", pa.int64()),
        ("op_state", TEXT),
        ("input_shapes", TEXT),  # as recorded
        ("input_types", TEXT),
        ("input_formats", TEXT),
        ("output_shapes", TEXT),
        ("output_types", TEXT),
        ("output_formats", TEXT),
    ]
)

#: Total times of steps, computed by the recorder.
NPU_STEPS: Final = pa.schema(
    [
        ("step", pa.int64()),  # -1 if the recording has no steps
        ("device", pa.int32()),
        ("computing_us", pa.float64()),
        ("communication_not_overlapped_us", pa.float64()),
        ("overlapped_us", pa.float64()),
        ("communication_us", pa.float64()),
        ("free_us", pa.float64()),
        ("stage_us", pa.float64()),
        ("bubble_us", pa.float64()),
        ("preparing_us", pa.float64()),  # NaN in older recordings
    ]
)

#: Start and end of steps, for recordings whose steps are not host rows.
STEP_RANGES: Final = pa.schema(
    [("step", pa.int64()), ("start_ns", pa.int64()), ("end_ns", pa.int64())]
)

#: Communication operators as the recorder measured them.
COMMUNICATION: Final = pa.schema(
    [
        ("step", pa.int64()),  # -1 if the recording has no steps
        ("type", TEXT),  # collective or p2p
        ("name", TEXT),
        ("group", TEXT),
        ("start_ns", pa.int64()),  # -1 if unknown
        ("elapse_us", pa.float64()),
        ("transit_us", pa.float64()),
        ("wait_us", pa.float64()),
        ("synchronization_us", pa.float64()),
        ("idle_us", pa.float64()),
        ("is_total", pa.bool_()),  # the recorder's own sum ("Total Op Info")
    ]
)

#: Data that each of these operators sent over each link.
COMMUNICATION_LINKS: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in COMMUNICATION
        ("link", TEXT),  # RDMA, HCCS, PCIE, SDMA, SIO
        ("bytes", pa.int64()),
        ("transit_us", pa.float64()),
        ("packets", TEXT),  # JSON text: size in MB to [count, ms]
    ]
)

#: Ranges that a program marked with NVTX, one row per range, ascending by `row`.
NVTX_RANGES: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in HOST
        ("style", TEXT),  # PushPop or StartEnd
        ("domain", TEXT),  # empty for the default domain
        ("label", TEXT),  # the text as the program gave it, without the domain
        ("thread", pa.int32()),  # row in THREADS of the thread that opened the range
    ]
)

#: Properties of device work that CUDA's own profilers record: one row per row of DEVICE, in its
#: order, or no rows.
CUDA_WORK: Final = pa.schema(
    [
        ("short_name", TEXT),  # the name of a kernel without template arguments and parameters
        ("context", pa.int32()),
        ("green_context", pa.int32()),
        ("static_shared_bytes", pa.int32()),
        ("dynamic_shared_bytes", pa.int32()),
        ("local_bytes", pa.int32()),  # of each thread
        ("launch_type", TEXT),
        ("source_memory", TEXT),  # of copies; of memory sets the memory that is written
        ("target_memory", TEXT),
        ("cluster", TEXT),  # JSON text
        ("graph", pa.int64()),  # the graph that the work is a part of
    ]
)

#: Calls of the CUDA runtime and driver that failed, ascending by `row`.
CALL_RESULTS: Final = pa.schema([("row", pa.int64()), ("result", pa.int64())])

#: Operators of memory records, if the recording names them.
MEMORY_NAMES: Final = pa.schema([("record", pa.int64()), ("operator", TEXT)])

#: Further data of memory records: one row per record, or no rows.
MEMORY_EXTRA: Final = pa.schema(
    [
        ("is_reserved", pa.bool_()),  # a change of what the allocator holds, not of what is in use
        ("peak_allocated", pa.int64()),
        ("peak_reserved", pa.int64()),
    ]
)

#: Memory by software component, sorted by (device, component, time).
MEMORY_COMPONENTS: Final = pa.schema(
    [
        ("device_type", pa.int32()),
        ("device", pa.int32()),
        ("component", TEXT),
        ("time_ns", pa.int64()),
        ("allocated", pa.int64()),
        ("reserved", pa.int64()),
        ("is_module", pa.bool_()),  # of a module of the driver; its peak is what counts
    ]
)

#: Functions of a profile of Python, with sums over all their calls.
FUNCTIONS: Final = pa.schema(
    [
        ("name", TEXT),  # as a frame of a call stack, file(line): function
        ("function", TEXT),
        ("file", TEXT),  # "~" for functions that are not written in Python
        ("line", pa.int64()),
        ("calls", pa.int64()),
        ("primitive_calls", pa.int64()),  # those that are not made by the function itself
        ("self_us", pa.float64()),
        ("total_us", pa.float64()),
    ]
)

#: Calls of one function by another.
FUNCTION_CALLS: Final = pa.schema(
    [
        ("caller", pa.int64()),  # row in FUNCTIONS, -1 if it has none
        ("callee", pa.int64()),  # row in FUNCTIONS
        ("calls", pa.int64()),
        ("primitive_calls", pa.int64()),  # -1 if not recorded
        ("self_us", pa.float64()),  # of the callee in these calls; NaN if not recorded
        ("total_us", pa.float64()),
    ]
)

#: Texts of ranges as recorded, where they say more than the columns of HOST hold.
RANGE_TEXTS: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in HOST; each at most once, ascending
        ("text", TEXT),
    ]
)

#: Calls of libraries, as far as a recorder says of which: MPI, OpenMP, cuBLAS and others.
LIBRARY_CALLS: Final = pa.schema(
    [
        ("row", pa.int64()),  # row in HOST; each at most once, ascending
        ("library", TEXT),
        ("group", TEXT),  # kind of call within the library, such as Collectives
        ("sent_bytes", pa.int64()),  # -1 if unknown, as all that follow
        ("received_bytes", pa.int64()),
        ("peer", pa.int64()),  # rank at the other end
        ("root", pa.int64()),  # rank that a collective starts from or ends at
        ("tag", pa.int64()),
        ("source", TEXT),  # file and line
    ]
)

#: What CUDA's unified memory did: pages that moved, and accesses that found a page elsewhere.
UNIFIED_MEMORY: Final = pa.schema(
    [
        ("event", TEXT),  # one of the four words below
        ("time_ns", pa.int64()),
        ("device", pa.int32()),  # -1 for accesses of the host
        ("address", pa.int64()),  # -1 if unknown
        ("bytes", pa.int64()),  # that moved; -1 for faults
        ("faults", pa.int64()),  # accesses that found the page elsewhere; 0 for pages that moved
        ("source", TEXT),  # file and line, and function of an access of the host
    ]
)
HOST_TO_DEVICE, DEVICE_TO_HOST = "Host-to-Device", "Device-to-Host"
HOST_FAULT, DEVICE_FAULT = "CPU page fault", "GPU page fault"

TABLES: Final = {
    "host_types": HOST_TYPES,
    "host_categories": CATEGORIES,
    "device_categories": CATEGORIES,
    "lanes": LANES,
    "measured_operators": MEASURED_OPERATORS,
    "npu_kernels": NPU_KERNELS,
    "npu_steps": NPU_STEPS,
    "step_ranges": STEP_RANGES,
    "communication": COMMUNICATION,
    "communication_links": COMMUNICATION_LINKS,
    "nvtx_ranges": NVTX_RANGES,
    "cuda_work": CUDA_WORK,
    "call_results": CALL_RESULTS,
    "memory_names": MEMORY_NAMES,
    "memory_extra": MEMORY_EXTRA,
    "memory_components": MEMORY_COMPONENTS,
    "functions": FUNCTIONS,
    "function_calls": FUNCTION_CALLS,
    "range_texts": RANGE_TEXTS,
    "library_calls": LIBRARY_CALLS,
    "unified_memory": UNIFIED_MEMORY,
}
