"""Charts of tables: each table is laid out once as marks, which are drawn with Bokeh or as SVG.

A layout (`step_breakdown`, …) turns a table into a `Chart`, which depends neither on a drawing
library nor on a theme. `draw_figure` draws it as a Bokeh figure, `draw_svg` as an image. Both are
imported on first use, so that drawing SVG needs no Bokeh. Layouts compute nothing but positions.

Figures may be restyled. Their renderers and sources have these names:

============== ======================================================================
source         columns
============== ======================================================================
slices         name, label, value (µs), pct, muted, start, end, color: slices, or bars by name
steps, bars    index, step or name, total, muted, and one column for each part
drawn          the same columns for the slowest steps, if several steps share a bar
allocated …    time, first, last, low, high: the memory of a device or component
categories     time, and the upper edge of the area of each category
peaks          x, y
grid, leaders  xs, ys, color: lines; likewise mean, capacity, and steps in the memory chart
labels, totals x, y, text, align, style, color, size
swatches       left, right, bottom, top, color: boxes; likewise range, and veil (over muted items)
============== ======================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.charts.bars.stacked import stacked_bars
    from nbprof.charts.chart import Chart
    from nbprof.charts.donut.kernels import kernel_donuts, rank_kernels
    from nbprof.charts.donut.summary import summary_donut
    from nbprof.charts.figures.drawing import draw_figure
    from nbprof.charts.memory.memory import memory_curve
    from nbprof.charts.operators import OPERATOR_CHARTS, operator_charts, rank_operators
    from nbprof.charts.steps.breakdown import step_breakdown
    from nbprof.charts.svg.drawing import draw_svg
    from nbprof.charts.theme import PALETTES, Palette, Theme, palette

_HOMES = {
    "Chart": "chart",
    "OPERATOR_CHARTS": "operators",
    "PALETTES": "theme",
    "Palette": "theme",
    "Theme": "theme",
    "draw_figure": "figures.drawing",
    "draw_svg": "svg.drawing",
    "kernel_donuts": "donut.kernels",
    "memory_curve": "memory.memory",
    "operator_charts": "operators",
    "palette": "theme",
    "rank_kernels": "donut.kernels",
    "rank_operators": "operators",
    "stacked_bars": "bars.stacked",
    "step_breakdown": "steps.breakdown",
    "summary_donut": "donut.summary",
}

__all__ = [
    "OPERATOR_CHARTS",
    "PALETTES",
    "Chart",
    "Palette",
    "Theme",
    "draw_figure",
    "draw_svg",
    "kernel_donuts",
    "memory_curve",
    "operator_charts",
    "palette",
    "rank_kernels",
    "rank_operators",
    "stacked_bars",
    "step_breakdown",
    "summary_donut",
]


def __getattr__(name: str) -> Any:
    """Import a chart when it is first used (PEP 562)."""
    if name not in _HOMES:
        message = f"module 'nbprof.charts' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"nbprof.charts.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
