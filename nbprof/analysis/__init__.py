"""Analyses: pure functions of a model and a filter that compute the result tables.

Annotations and modules are credited with the device work launched during them on their thread,
however rows nest (`analysis/thread_spans.py`).

The names, kinds, threads, devices and streams of a filter select rows; its steps and time range
only cut time. So the interval sets behind `steps`, `overview`, `device_time` and `device_summary`
(`steps/breakdown.py`, `devices/device_intervals.py`, `devices/occupancy.py`) are built from the
selected rows alone, with running sums of their lengths, and cached for the last few filters.
Changing only the range costs a few binary searches. The time of a category is what it adds to the
union of the categories before it. The step and launch time of each row are looked up once.
"""

from __future__ import annotations

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.analysis.advice.warnings import warnings
from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.accelerator_cores import accelerator_cores
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.memory.components import memory_components
from nbprof.analysis.memory.curve import memory_categories, memory_curve
from nbprof.analysis.memory.memory_events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.analysis.modules.flame import flame
from nbprof.analysis.modules.modules import modules
from nbprof.analysis.modules.stacks import stack_lines
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.parts import operator_parts
from nbprof.analysis.operators.phases import operator_phases
from nbprof.analysis.operators.user_events import user_events
from nbprof.analysis.steps.event_types import events
from nbprof.analysis.steps.npu_steps import npu_steps
from nbprof.analysis.steps.overview import overview
from nbprof.analysis.steps.stage_summary import stage_summary
from nbprof.analysis.steps.stages import stages
from nbprof.analysis.steps.steps import steps

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
