"""Tables drawn as Bokeh figures and as SVG. Nothing is computed here but where things go.

Figures are imported on first use: drawing SVG needs no Bokeh.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.charts.bars.stacked import stacked_bars
    from nbprof.charts.canvas import transparent
    from nbprof.charts.donut.kernels import kernel_donuts, rank_kernels
    from nbprof.charts.donut.operators import OPERATOR_CHARTS, operator_charts, rank_operators
    from nbprof.charts.donut.summary import summary_donut
    from nbprof.charts.memory.memory import memory_curve
    from nbprof.charts.steps.steps import step_breakdown
    from nbprof.charts.theme import PALETTES, Palette, Theme, palette

_HOMES = {
    "OPERATOR_CHARTS": "donut.operators",
    "PALETTES": "theme",
    "Palette": "theme",
    "Theme": "theme",
    "kernel_donuts": "donut.kernels",
    "memory_curve": "memory.memory",
    "operator_charts": "donut.operators",
    "palette": "theme",
    "rank_kernels": "donut.kernels",
    "rank_operators": "donut.operators",
    "stacked_bars": "bars.stacked",
    "step_breakdown": "steps.steps",
    "summary_donut": "donut.summary",
    "transparent": "canvas",
}

__all__ = [
    "OPERATOR_CHARTS",
    "PALETTES",
    "Palette",
    "Theme",
    "kernel_donuts",
    "memory_curve",
    "operator_charts",
    "palette",
    "rank_kernels",
    "rank_operators",
    "stacked_bars",
    "step_breakdown",
    "summary_donut",
    "transparent",
]


def __getattr__(name: str) -> Any:
    """Import a chart when it is first used (PEP 562)."""
    if name not in _HOMES:
        message = f"module 'nbprof.charts' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"nbprof.charts.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
