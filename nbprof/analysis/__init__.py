"""Analyses: pure functions from (model, filter) to the tables of the contract.

Annotations and modules have what was launched in their time, on their thread, however rows nest
(`analysis/spans.py`).

A range only has to be measured. What a filter says of names, kinds, threads, devices and streams
decides which rows count; its steps and times only cut. So the sets of time behind `steps`,
`overview`, `device_time` and `device_summary` (`breakdown.py`, `device_sets.py`,
`device_load.py`) are made of the rows alone, with running sums of their lengths, and are kept for
the last few filters: another range costs some binary searches. A category's time is what it adds
to the union of those before it. The step and the launch time of each row are looked up once.
"""

from __future__ import annotations

from nbprof.analysis.advice.recommendations import recommendations
from nbprof.analysis.advice.warnings import warnings
from nbprof.analysis.devices.summary import device_summary
from nbprof.analysis.devices.time import device_time
from nbprof.analysis.kernels.cores import accelerator_cores
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.memory.components import memory_components
from nbprof.analysis.memory.curve import memory_categories, memory_curve
from nbprof.analysis.memory.events import memory_events
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak, memory_peak_holders
from nbprof.analysis.modules.flame import flame
from nbprof.analysis.modules.modules import modules
from nbprof.analysis.modules.stacks import stack_lines
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.parts import operator_parts
from nbprof.analysis.operators.phases import operator_phases
from nbprof.analysis.operators.user_events import user_events
from nbprof.analysis.steps.events import events
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
