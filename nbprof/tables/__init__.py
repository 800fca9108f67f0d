"""The registry of tables of traces and profiles.

Importing this package imports none of the tables, so that their names cost nothing.

Methods of tables warn (`FilterWarning`) if a result is empty only because of the filter. Views,
summaries and the command line report this themselves: they call
`nbprof.tables.trace.compute_table`, which does not warn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.registry import Registry

if TYPE_CHECKING:
    from nbprof.model.contract.spec import TableSpec

__all__ = ["TABLES"]

#: All tables, nbprof's own in the order of the documentation.
TABLES: Final[Registry[TableSpec]] = Registry(
    "table",
    "nbprof.tables",
    "nbprof.model.contract.spec:TableSpec",
    {
        "runs": "nbprof.tables.catalog:RUNS_TABLE",
        "skipped": "nbprof.tables.catalog:SKIPPED_TABLE",
        "warnings": "nbprof.analysis.advice.warnings:TABLE",
        "steps": "nbprof.analysis.steps.steps:TABLE",
        "overview": "nbprof.analysis.steps.overview:TABLE",
        "device_summary": "nbprof.analysis.devices.device_summary:TABLE",
        "device_time": "nbprof.analysis.devices.device_time:TABLE",
        "idle_gaps": "nbprof.analysis.devices.idle_gaps:TABLE",
        "idle_time": "nbprof.analysis.devices.idle_time:TABLE",
        "recommendations": "nbprof.analysis.advice.recommendations:TABLE",
        "operators": "nbprof.analysis.operators.operators:TABLE",
        "user_events": "nbprof.analysis.operators.user_events:TABLE",
        "kernels": "nbprof.analysis.kernels.kernels:TABLE",
        "accelerator_cores": "nbprof.analysis.kernels.accelerator_cores:TABLE",
        "stages": "nbprof.analysis.steps.stages:TABLE",
        "stage_summary": "nbprof.analysis.steps.stage_summary:TABLE",
        "events": "nbprof.analysis.steps.event_types:TABLE",
        "operator_phases": "nbprof.analysis.operators.phases:TABLE",
        "operator_parts": "nbprof.analysis.operators.parts:TABLE",
        "npu_steps": "nbprof.analysis.steps.npu_steps:TABLE",
        "distributed_overview": "nbprof.tables.distributed:OVERVIEW_TABLE",
        "distributed_wait": "nbprof.tables.distributed:WAIT_TABLE",
        "distributed_ops": "nbprof.tables.distributed:OPS_TABLE",
        "slices": "nbprof.timeline.slices_table:TABLE",
        "slice_summary": "nbprof.timeline.slice_summary:TABLE",
        "memory_curve": "nbprof.analysis.memory.curve:CURVE_TABLE",
        "memory_operators": "nbprof.analysis.memory.operators:TABLE",
        "memory_events": "nbprof.analysis.memory.memory_events:TABLE",
        "memory_peak": "nbprof.analysis.memory.peak:PEAK_TABLE",
        "memory_peak_holders": "nbprof.analysis.memory.peak:HOLDERS_TABLE",
        "memory_categories": "nbprof.analysis.memory.curve:CATEGORIES_TABLE",
        "memory_components": "nbprof.analysis.memory.components:TABLE",
        "modules": "nbprof.analysis.modules.modules:TABLE",
        "flame": "nbprof.analysis.modules.flame:TABLE",
    },
)
