"""The names of tables that the command line takes."""

from __future__ import annotations

from typing import Final

#: The tables, in the order of the documentation. Equal to `nbprof.model.contract.tables.TABLES`,
#: which is not imported for the sake of ``--help``.
TABLES: Final = (
    "runs",
    "skipped",
    "warnings",
    "steps",
    "overview",
    "device_summary",
    "device_time",
    "recommendations",
    "operators",
    "user_events",
    "kernels",
    "accelerator_cores",
    "stages",
    "stage_summary",
    "events",
    "operator_phases",
    "operator_parts",
    "npu_steps",
    "distributed_overview",
    "distributed_wait",
    "distributed_ops",
    "slices",
    "slice_summary",
    "memory_curve",
    "memory_operators",
    "memory_events",
    "memory_peak",
    "memory_peak_holders",
    "memory_categories",
    "memory_components",
    "modules",
    "flame",
)
