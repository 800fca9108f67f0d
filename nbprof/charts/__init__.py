"""Tables drawn as Bokeh figures and as SVG. Nothing is computed here but where things go.

Figures are imported on first use: drawing SVG needs no Bokeh.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.charts.canvas import transparent
    from nbprof.charts.kernels import kernel_donuts, rank_kernels
    from nbprof.charts.memory import memory_curve
    from nbprof.charts.operators import OPERATOR_CHARTS, operator_charts, rank_operators
    from nbprof.charts.stacked_bars import stacked_bars
    from nbprof.charts.steps import step_breakdown
    from nbprof.charts.summary import summary_donut
    from nbprof.charts.theme import PALETTES, Palette, Theme, palette

_HOMES = {
    "OPERATOR_CHARTS": "operators",
    "PALETTES": "theme",
    "Palette": "theme",
    "Theme": "theme",
    "kernel_donuts": "kernels",
    "memory_curve": "memory",
    "operator_charts": "operators",
    "palette": "theme",
    "rank_kernels": "kernels",
    "rank_operators": "operators",
    "stacked_bars": "stacked_bars",
    "step_breakdown": "steps",
    "summary_donut": "summary",
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
