"""Columns of a table as bars, as SVG, placed as `nbprof.charts.bars.stacked` places them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.bars.series import Bars, Quantity
from nbprof.charts.legend import LABEL, LINE, SWATCH
from nbprof.charts.steps.static import StepBars, draw_steps
from nbprof.charts.svg import Svg, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.charts.theme import Palette


def static_stacked(
    table: pa.Table,
    colors: Palette,
    *,
    x: str,
    series: Mapping[str, tuple[str, str]],
    stacked: bool = True,
    width: int = 560,
    unit: str = "auto",
    quantity: Quantity = "time",
) -> Svg:
    """Draw one bar per row of a table, a part per column.

    Parameters
    ----------
    table : pyarrow.Table
        One row a bar, one at least with a part that is not zero.
    colors : Palette
        Colours.
    x, series, stacked, width, unit, quantity
        As `nbprof.charts.bars.stacked` has them. Over 500 pixels wide; numbered rows always stand
        on each other.
    """
    bars = Bars.of(table, x, series, stacked=stacked, unit=unit, quantity=quantity)
    if bars.named or not stacked:
        return _draw_rows(bars, colors, width)
    numbers = np.array([0 if one is None else one for one in bars.x], np.int64)
    parts = [(one, bars.values[one.key]) for one in bars.series]
    return draw_steps(StepBars(numbers, parts, bars.tops, width=width, unit=bars.unit), colors)


def _draw_rows(bars: Bars, colors: Palette, width: int) -> Svg:
    plane = RowPlane.of(bars, width)
    made = Svg(width, plane.height, colors.background)
    for entry in plane.entries:
        middle = LINE * (entry.line + 0.5)
        color = entry.series.color(colors)
        fill = made.hatched(color) if entry.series.hatched else color
        made.rect(entry.x, middle - SWATCH / 2, SWATCH, SWATCH, fill)
        made.text(entry.x + LABEL, middle, entry.text, colors.muted)
    for tick, text in zip(plane.ticks, plane.tick_texts, strict=True):
        color = colors.grid if tick else colors.line_strong
        made.line(plane.x(tick), plane.top, plane.x(tick), plane.base, color)
        made.text(plane.x(tick), plane.base + 10, text, colors.muted, align="center")
    made.text(plane.left - 14, plane.base + 10, bars.unit.label, colors.muted, align="right")
    _draw_parts(made, bars, plane, colors)
    for index, (label, total) in enumerate(zip(plane.names, plane.totals, strict=True)):
        made.text(plane.left - 8, plane.y(index), label, colors.foreground, align="right")
        end = plane.x(float(bars.tops[index])) + 5
        made.text(end, plane.y(index), total, colors.muted)
    return made


def _draw_parts(made: Svg, bars: Bars, plane: RowPlane, colors: Palette) -> None:
    """Draw one path per series, a rectangle a row."""
    below = np.zeros(len(bars))
    for one, (off, thick) in zip(bars.series, plane.lanes(bars), strict=True):
        values = bars.values[one.key]
        d = ""
        for index, (low, value) in enumerate(zip(below, values, strict=True)):
            start, length = plane.x(low), plane.x(low + value) - plane.x(low)
            gap = 1.0 if length > 3 else 0.0
            if length > 0.05:
                top = plane.y(index) + off - thick / 2
                d += (
                    f"M{short(start)} {short(top)}h{short(length - gap)}"
                    f"v{short(thick)}h{short(gap - length)}Z"
                )
        if bars.stacked:
            below = below + values
        color = one.color(colors)
        if d:
            made.path(d, fill=made.hatched(color) if one.hatched else color)
