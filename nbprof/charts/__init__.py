"""Tables drawn as Bokeh figures. Nothing is computed here but where things go."""

from __future__ import annotations

from nbprof.charts.canvas import transparent
from nbprof.charts.donut import donut
from nbprof.charts.kernels import kernel_donuts, rank_kernels
from nbprof.charts.memory import memory_curve
from nbprof.charts.operators import OPERATOR_DONUTS, operator_donuts, rank_operators
from nbprof.charts.steps import step_breakdown
from nbprof.charts.summary import summary_donut
from nbprof.charts.theme import PALETTES, Palette, Theme, palette

__all__ = [
    "OPERATOR_DONUTS",
    "PALETTES",
    "Palette",
    "Theme",
    "donut",
    "kernel_donuts",
    "memory_curve",
    "operator_donuts",
    "palette",
    "rank_kernels",
    "rank_operators",
    "step_breakdown",
    "summary_donut",
    "transparent",
]
