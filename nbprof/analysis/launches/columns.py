"""Columns of tables with a row for every kernel, on GPUs and on NPUs."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns, count, flag, pct, size, text, time
from nbprof.model.contract.table import Column

GRID: Final = text("grid", "Thread blocks of the launch, as JSON.")
BLOCK: Final = text("block", "Threads of a block, as JSON.")
REGISTERS: Final = count("registers", "Registers per thread.")
SHARED: Final = count("shared_memory_bytes", "Shared memory of a block.", "bytes")
MATRIX_UNITS: Final = (
    flag(
        "matrix_unit_used",
        "Whether it uses matrix units (Tensor Cores, Matrix Cores), by its name or its operator;"
        " empty if unknown, or if launches differ.",
    ),
    text("matrix_unit_dtype", "Data type that it multiplies on them, if known."),
    flag("tensor_core_used", "Former name of matrix_unit_used."),
)
RECORDED_NAME: Final = text(
    "recorded_name", "Mangled name of the kernel in the file, if name was demangled from it."
)

#: What ran, for how long, what launched it, and when; then where.
_COMMON: Final = (
    text("name", "Full name of the kernel."),
    time("duration_us", "Time from start to end."),
    pct("pct", "Share of the time of all kernels in this table."),
    text("operator", "Operator that launched the kernel."),
    text("launched_by", "Annotation or runtime call that launched it, if no operator did."),
    text(
        "direction",
        "forward, backward or optimizer, by the ranges around its launch; empty if it is in none.",
    ),
    text("module", "Innermost module around its operator, or around the forward operator of that."),
    time("start_us", "Start, from the first event of the trace."),
    time(
        "queue_us",
        "Time from the end of the call that launched it to its start; 0 if it starts before.",
    ),
    time("launch_us", "Time of that call; the kernels of a graph share one call."),
    count("step", "Number of the step that the kernel belongs to."),
    count("device", "Number of the device."),
    count(
        "stream", "Stream that it ran on; empty for communication, which NPUs record separately."
    ),
    count("thread", "Thread that launched it."),
    text(
        "status",
        "launched: its own call is known; graph: a replayed graph contains it; unknown: the trace"
        " has no launch.",
    ),
    text("annotation", "Innermost annotation around its launch, steps aside."),
    count("sequence", "Autograd number that forward and backward operators share."),
    text("forward_operator", "In the backward pass, the operator that it is the gradient of."),
)
_COSTS: Final = (
    count("flops", "Its share of the floating-point operations of its operator; empty if unknown."),
    size("bytes", "Its share of the bytes that its operator reads and writes at least."),
    Column("intensity", pa.float64(), "FLOP/byte", "Operations per byte."),
    pct(
        "pct_of_peak",
        "Least possible time on this device, at its peak and its bandwidth, by the actual time.",
    ),
    text(
        "bound",
        "What bounds the least possible time: compute or memory; unknown if the peaks of the"
        " device, operations or bytes are.",
    ),
)
LAUNCHES: Final[Columns] = (
    *_COMMON,
    *_COSTS,
    text("input_shapes", "Shapes of the inputs of its operator, as JSON."),
    text("input_types", "Data types of the inputs of its operator, as JSON."),
    GRID,
    BLOCK,
    REGISTERS,
    SHARED,
    Column("blocks_per_sm", pa.float64(), "", "Thread blocks per streaming multiprocessor."),
    pct("occupancy_pct", "Estimated achieved occupancy."),
    *MATRIX_UNITS,
    RECORDED_NAME,
)

#: Columns of NPU launches; one column per recorded metric follows, under the recorder's name.
NPU_LAUNCHES: Final[Columns] = (
    *_COMMON,
    *_COSTS,
    text("type", "Type of the operator that the kernel computes."),
    text("accelerator_core", "Core of the NPU that the kernel ran on: AI_CORE, AI_CPU, HCCL, …"),
    count("block_dim", "Blocks of the launch, each for one core."),
    count("mix_block_dim", "Blocks of its second kind of core, if it runs on two."),
    time("wait_us", "Time from the end of the previous work to its start."),
    text("op_state", "Whether it was compiled for its shapes (static) or for any (dynamic)."),
    count("task", "Number of its task on the stream."),
    count("model", "Number of the model that it belongs to."),
    text("input_shapes", "Shapes of the inputs, as recorded."),
    text("input_types", "Data types of the inputs."),
    text("input_formats", "Memory formats of the inputs."),
    text("output_shapes", "Shapes of the outputs, as recorded."),
    text("output_types", "Data types of the outputs."),
    text("output_formats", "Memory formats of the outputs."),
)
