"""Analyses: pure functions from (model, filter) to the tables of the contract."""

from __future__ import annotations

from nbprof.analysis.device_summary import device_summary
from nbprof.analysis.device_time import device_time
from nbprof.analysis.events import events
from nbprof.analysis.flame import flame
from nbprof.analysis.kernel_cores import accelerator_cores
from nbprof.analysis.kernels import kernels
from nbprof.analysis.memory_components import memory_components
from nbprof.analysis.memory_curve import memory_categories, memory_curve
from nbprof.analysis.memory_events import memory_events
from nbprof.analysis.memory_operators import memory_operators
from nbprof.analysis.memory_peak import memory_peak, memory_peak_holders
from nbprof.analysis.modules import modules
from nbprof.analysis.npu_steps import npu_steps
from nbprof.analysis.operator_parts import operator_parts
from nbprof.analysis.operator_phases import operator_phases
from nbprof.analysis.operators import operators
from nbprof.analysis.overview import overview
from nbprof.analysis.recommendations import recommendations
from nbprof.analysis.stacks import stack_lines
from nbprof.analysis.stage_summary import stage_summary
from nbprof.analysis.stages import stages
from nbprof.analysis.steps import steps
from nbprof.analysis.user_events import user_events
from nbprof.analysis.warnings import warnings

__all__ = [
    "accelerator_cores",
    "device_summary",
    "device_time",
    "events",
    "flame",
    "kernels",
    "memory_categories",
    "memory_components",
    "memory_curve",
    "memory_events",
    "memory_operators",
    "memory_peak",
    "memory_peak_holders",
    "modules",
    "npu_steps",
    "operator_parts",
    "operator_phases",
    "operators",
    "overview",
    "recommendations",
    "stack_lines",
    "stage_summary",
    "stages",
    "steps",
    "user_events",
    "warnings",
]
