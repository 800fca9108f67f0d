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
        "longest_gaps": "nbprof.analysis.devices.idle_gaps:LONGEST",
        "idle_time": "nbprof.analysis.devices.idle_time:TABLE",
        "recommendations": "nbprof.analysis.advice.recommendations:TABLE",
        "operators": "nbprof.analysis.operators.operators:TABLE",
        "key_averages": "nbprof.analysis.operators.key_averages.key_averages:TABLE",
        "user_events": "nbprof.analysis.operators.user_events:TABLE",
        "kernels": "nbprof.analysis.kernels.kernels:TABLE",
        "kernel_launches": "nbprof.analysis.launches.kernel_launches:TABLE",
        "accelerator_cores": "nbprof.analysis.kernels.accelerator_cores:TABLE",
        "stages": "nbprof.analysis.steps.stages:TABLE",
        "stage_summary": "nbprof.analysis.steps.stage_summary:TABLE",
        "events": "nbprof.analysis.steps.event_types:TABLE",
        "operator_phases": "nbprof.analysis.operators.phases:TABLE",
        "operator_parts": "nbprof.analysis.operators.parts:TABLE",
        "operator_costs": "nbprof.analysis.costs.operator_costs:TABLE",
        "step_flops": "nbprof.analysis.costs.step_flops:TABLE",
        "device_peaks": "nbprof.analysis.costs.device_peaks:TABLE",
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
        "memory_segments": "nbprof.analysis.allocator.memory_segments:TABLE",
        "memory_blocks": "nbprof.analysis.allocator.memory_blocks:TABLE",
        "memory_holders": "nbprof.analysis.allocator.memory_holders:TABLE",
        "memory_components": "nbprof.analysis.memory.components:TABLE",
        "modules": "nbprof.analysis.modules.modules:TABLE",
        "flame": "nbprof.analysis.modules.flame:TABLE",
        "functions": "nbprof.analysis.functions.functions:TABLE",
        "function_callers": "nbprof.analysis.functions.callers:TABLE",
        "icicle": "nbprof.analysis.functions.icicle:TABLE",
        "nsys_cuda_api_sum": "nbprof.analysis.nsys.summaries:API_SUM",
        "nsys_cuda_api_trace": "nbprof.analysis.nsys.traces:API_TRACE",
        "nsys_cuda_gpu_kern_sum": "nbprof.analysis.nsys.summaries:KERNEL_SUM",
        "nsys_cuda_gpu_kern_gb_sum": "nbprof.analysis.nsys.summaries:KERNEL_SIZE_SUM",
        "nsys_cuda_gpu_mem_time_sum": "nbprof.analysis.nsys.summaries:MEMORY_TIME_SUM",
        "nsys_cuda_gpu_mem_size_sum": "nbprof.analysis.nsys.summaries:MEMORY_SIZE_SUM",
        "nsys_cuda_gpu_sum": "nbprof.analysis.nsys.summaries:GPU_SUM",
        "nsys_cuda_api_gpu_sum": "nbprof.analysis.nsys.summaries:API_GPU_SUM",
        "nsys_cuda_gpu_trace": "nbprof.analysis.nsys.traces:GPU_TRACE",
        "nsys_cuda_kern_exec_sum": "nbprof.analysis.nsys.kernel_execution:SUM_TABLE",
        "nsys_cuda_kern_exec_trace": "nbprof.analysis.nsys.kernel_execution:TRACE_TABLE",
        "nsys_nvtx_sum": "nbprof.analysis.nsys.nvtx:SUM_TABLE",
        "nsys_nvtx_pushpop_sum": "nbprof.analysis.nsys.nvtx:PUSHPOP_TABLE",
        "nsys_nvtx_startend_sum": "nbprof.analysis.nsys.nvtx:STARTEND_TABLE",
        "nsys_nvtx_pushpop_trace": "nbprof.analysis.nsys.nvtx:TRACE_TABLE",
        "nsys_nvtx_gpu_proj_sum": "nbprof.analysis.nsys.nvtx_projection:SUM_TABLE",
        "nsys_nvtx_gpu_proj_trace": "nbprof.analysis.nsys.nvtx_projection:TRACE_TABLE",
        "nsys_nvtx_kern_sum": "nbprof.analysis.nsys.nvtx_projection:KERNEL_TABLE",
        "nsys_osrt_sum": "nbprof.analysis.nsys.libraries:OSRT_SUM",
        "nsys_syscall_sum": "nbprof.analysis.nsys.libraries:SYSCALL_SUM",
        "nsys_openmp_sum": "nbprof.analysis.nsys.libraries:OPENMP_SUM",
        "nsys_openacc_sum": "nbprof.analysis.nsys.libraries:OPENACC_SUM",
        "nsys_mpi_event_sum": "nbprof.analysis.nsys.libraries:MPI_SUM",
        "nsys_mpi_event_trace": "nbprof.analysis.nsys.libraries:MPI_TRACE",
        "nsys_mpi_msg_size_sum": "nbprof.analysis.nsys.libraries:MPI_SIZES",
        "nsys_ucx_event_sum": "nbprof.analysis.nsys.libraries:UCX_SUM",
        "nsys_um_sum": "nbprof.analysis.nsys.unified_memory:SUM_TABLE",
        "nsys_um_total_sum": "nbprof.analysis.nsys.unified_memory:TOTAL_TABLE",
        "nsys_um_cpu_page_faults_sum": "nbprof.analysis.nsys.unified_memory:FAULTS_TABLE",
        "nsys_rules": "nbprof.analysis.nsys.rules:TABLE",
        "nsys_gpu_gaps": "nbprof.analysis.nsys.utilization:GAPS_TABLE",
        "nsys_gpu_time_util": "nbprof.analysis.nsys.utilization:UTILIZATION_TABLE",
    },
    conflict="nbprof.tables.taken_names:name_conflict",
)
