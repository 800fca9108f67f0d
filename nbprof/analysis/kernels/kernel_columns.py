"""Columns of the table `kernels` in each grouping, on GPUs and on NPUs."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.analysis.launches.columns import (
    BLOCK,
    GRID,
    LAUNCHES,
    MATRIX_UNITS,
    NPU_LAUNCHES,
    RECORDED_NAME,
    REGISTERS,
    SHARED,
)
from nbprof.model.contract.columns import Columns, count, pct, text, time
from nbprof.model.contract.table import Column

_NAME: Final = (
    text("name", "Full name of the kernel."),
    text("call_stack", "Python frames around the operator that launched the kernel, joined by ;."),
    text("operator", "Operator that launched the kernel."),
    text("launched_by", "Annotation or runtime call that launched it, if no operator did."),
)
#: Beside kernels by name.
OPERATORS: Final = text(
    "operators",
    "Operators that launched it in the whole recording, those with most of its time first.",
)
_FIGURES: Final = (
    count("calls", "Number of launches."),
    time("total_us", "Total time of all launches."),
    time("mean_us", "Mean time of a launch."),
    time("max_us", "Longest launch."),
    time("min_us", "Shortest launch."),
    pct("pct", "Share of the time of all kernels in this table."),
)

#: Columns of `kernels`; the seven from call_stack on appear only if they are grouped by.
KERNELS: Final[Columns] = (
    *_NAME,
    GRID,
    BLOCK,
    REGISTERS,
    SHARED,
    *_FIGURES,
    Column(
        "mean_blocks_per_sm",
        pa.float64(),
        "",
        "Thread blocks per streaming multiprocessor, weighted by kernel time."
        " Under 1, some multiprocessors are idle.",
    ),
    pct("mean_occupancy_pct", "Estimated achieved occupancy, weighted by kernel time."),
    *MATRIX_UNITS,
    OPERATORS,
    RECORDED_NAME,
)

#: Columns on an NPU. If the launches of a kernel differ, all their cores are listed, the longest
#: first, and the block dimension is null.
NPU_KERNELS: Final[Columns] = (
    *_NAME,
    *_FIGURES,
    text("accelerator_core", "Core of the NPU that the kernel ran on: AI_CORE, AI_CPU, HCCL, …"),
    count("block_dim", "Blocks of the launch, each for one core; empty if launches differ."),
    OPERATORS,
)

#: Key columns when every kernel has a row.
_PLACE: Final = ("name", "device", "stream", "start_us")

#: Key columns of each grouping.
GROUPS: Final = {
    "name": ("name",),
    "name+stack": ("name", "call_stack"),
    "properties": (
        "name",
        "operator",
        "launched_by",
        "grid",
        "block",
        "registers",
        "shared_memory_bytes",
    ),
    "launch": _PLACE,
}
NPU_GROUPS: Final = {
    **GROUPS,
    "properties": ("name", "operator", "launched_by", "accelerator_core", "block_dim"),
}
#: Key columns of each grouping on any device; a table has a subset of them.
ALL_GROUPS: Final = {
    group: tuple(dict.fromkeys((*names, *NPU_GROUPS[group]))) for group, names in GROUPS.items()
}


def keys(group_by: str, *, npu: bool) -> tuple[str, ...]:
    """Return the key columns of a grouping, which identify its rows."""
    return (NPU_GROUPS if npu else GROUPS)[group_by]


def columns(group_by: str, *, npu: bool) -> Columns:
    """Return the columns of a grouping, without those of an NPU's metrics."""
    if group_by == "launch":
        return NPU_LAUNCHES if npu else LAUNCHES
    wanted = keys(group_by, npu=npu)
    every = NPU_KERNELS if npu else KERNELS
    optional = {name for group in GROUPS.values() for name in group}
    if group_by != "name":
        optional.add(OPERATORS.name)
    # On an NPU, some keys are value columns in other groupings; as keys they come first.
    chosen = [column for column in every if column.name in wanted]
    rest = [column for column in every if column.name not in optional and column not in chosen]
    return (*chosen, *rest)


def known_columns(group_by: str = "name") -> Columns | None:
    """Return the columns of a grouping on GPUs; None if recordings add columns for metrics."""
    return None if group_by == "launch" else columns(group_by, npu=False)
