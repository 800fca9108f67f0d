"""Lays out horizontal bars, one per row of a table, with the names of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.charts.bars.legend import draw_legend
from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.chart import Chart
from nbprof.charts.marks import BarMark, LineMark, Part, PointerMark, Source, Tip

if TYPE_CHECKING:
    from nbprof.charts.bars.bars import Bars


def row_chart(bars: Bars, *, width: int, name: str) -> Chart:
    """Lay out horizontal bars; see `nbprof.charts.bars.stacked`."""
    plane = RowPlane.of(bars, width)
    chart = Chart(name, width, plane.height)
    draw_frame(chart, bars, plane)
    if bars.series:
        source = Source(name, _columns(bars, plane))
        parts = []
        for one, (off, thick) in zip(bars.drawn, plane.lanes(bars), strict=True):
            at = f"{one.key}_y" if off else "middle"
            if off:
                source.columns[at] = [y - off for y in source.columns["middle"]]
            low, high = (f"{one.key}_from",), (f"{one.key}_to",)
            parts.append(Part(one.key, one.token, at, thick, low, high))
        chart.marks.append(BarMark(source, tuple(parts), lying=True, gap=bars.stacked))
        tips = [Tip("Total", "total", bars.unit)] if bars.stacked else []
        tips += [Tip(one.label, one.key, bars.unit) for one in bars.series]
        chart.marks.append(row_pointer(source, plane, tuple(tips)))
    draw_legend(chart, plane.entries, (0.0, plane.height))
    return chart


def draw_frame(chart: Chart, bars: Bars, plane: RowPlane) -> None:
    """Add what surrounds the bars: the grid, its values and unit, and the texts of the rows.

    Parameters
    ----------
    chart : Chart
        Where to, in pixels.
    bars : Bars
        What the rows are of; without any length it is said that there is nothing.
    plane : RowPlane
        Where rows and ticks are.
    """
    grid = LineMark.named("grid")
    chart.marks.append(grid)
    for tick, text in zip(plane.ticks, plane.tick_texts, strict=True):
        x = plane.x(tick)
        color = "grid" if tick else "line_strong"
        grid.add(color, (x, plane.base), (x, plane.height - plane.top))
        chart.write(x, plane.base - 10, text, "muted", align="center")
    chart.write(plane.left - 14, plane.base - 10, bars.unit.label, "muted", align="right")
    if not bars.tops.any():
        middle = (plane.left + plane.right) / 2
        chart.write(middle, plane.y(0), "Nothing to show", "muted", align="center")
    for index, (label, total) in enumerate(zip(plane.names, plane.totals, strict=True)):
        chart.write(plane.left - 8, plane.y(index), label, "foreground", align="right")
        chart.write(plane.x(float(bars.tops[index])) + 5, plane.y(index), total, "muted")


def row_pointer(source: Source, plane: RowPlane, tips: tuple[Tip, ...]) -> PointerMark:
    """Return the mark that makes a row respond to pointer and clicks over its whole length.

    Parameters
    ----------
    source : Source
        With the ``middle`` of each row, and its ``heading``.
    plane : RowPlane
        Where the rows are.
    tips : tuple of Tip
        What is said of a row.
    """
    look: dict[str, Any] = {"heading": "heading", "lying": True}
    return PointerMark(source, "rows", "middle", plane.row, plane.width, tips, **look)


def _columns(bars: Bars, plane: RowPlane) -> dict[str, Any]:
    """Return the source: values in the unit of the axis, and where parts begin and end."""
    count = len(bars)
    columns: dict[str, Any] = {
        "index": np.arange(count, dtype=np.int32),
        "name": ["" if one is None else str(one) for one in bars.x],
        "heading": bars.names,
        "total": bars.tops,
        "middle": [plane.y(index) for index in range(count)],
    }
    below = np.zeros(count)
    for one in bars.drawn:
        values = bars.values[one.key]
        columns[one.key] = values
        ends = np.where(values > 0, below + values, np.nan)  # without length nothing is drawn
        columns[f"{one.key}_from"] = [plane.x(float(value)) for value in below]
        columns[f"{one.key}_to"] = [plane.x(float(value)) for value in ends]
        if bars.stacked:
            below = below + values
    return columns
