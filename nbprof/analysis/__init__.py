"""Analyses: pure functions from (model, filter) to the tables of the contract."""

from __future__ import annotations

from nbprof.analysis.device_summary import device_summary
from nbprof.analysis.device_time import device_time
from nbprof.analysis.kernels import kernels
from nbprof.analysis.operators import operators
from nbprof.analysis.overview import overview
from nbprof.analysis.recommendations import recommendations
from nbprof.analysis.steps import steps
from nbprof.analysis.user_events import user_events
from nbprof.analysis.warnings import warnings

__all__ = [
    "device_summary",
    "device_time",
    "kernels",
    "operators",
    "overview",
    "recommendations",
    "steps",
    "user_events",
    "warnings",
]
