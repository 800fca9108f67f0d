"""Lays out horizontal bars, one per row of a table, with the names of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.charts.bars.legend import draw_legend
from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.chart import Chart, Items
from nbprof.charts.context import runs, veil
from nbprof.charts.marks import BarMark, LineMark, Part, PointerMark, Source, Tip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbprof.charts.bars.bars import Bars
    from nbprof.charts.marks import BoxMark


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
        chart.marks.append(row_veil(bars.muted, plane))
        chart.items = row_items(source, plane)
        tips = [Tip("Total", "total", bars.unit)] if bars.stacked else []
        tips += [Tip(one.label, one.key, bars.unit) for one in bars.series]
        chart.marks.append(row_pointer(source, plane, tuple(tips)))
    draw_legend(chart, plane.entries, (0.0, plane.height))
    return chart


def draw_frame(chart: Chart, bars: Bars, plane: RowPlane) -> None:
    """Add everything around the bars: the grid, its values and unit, and the texts of the rows.

    Parameters
    ----------
    chart : Chart
        The chart to draw in, with pixels as coordinates.
    bars : Bars
        The bars; if none has a length, the chart says that there is nothing to show.
    plane : RowPlane
        Positions of rows and ticks.
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
        ink = "muted" if bars.muted[index] else "foreground"
        chart.write(plane.left - 8, plane.y(index), label, ink, align="right")
        chart.write(plane.x(float(bars.tops[index])) + 5, plane.y(index), total, "muted")


def row_pointer(source: Source, plane: RowPlane, tips: tuple[Tip, ...]) -> PointerMark:
    """Return the mark that makes rows respond to the pointer over the whole width of the chart.

    Parameters
    ----------
    source : Source
        Columns ``middle`` (of each row) and ``heading`` (of its tooltip).
    plane : RowPlane
        Positions of the rows.
    tips : tuple of Tip
        Tooltip of a row.
    """
    look: dict[str, Any] = {"heading": "heading", "lying": True}
    return PointerMark(source, "rows", "middle", plane.row, plane.width, tips, **look)


def row_veil(muted: NDArray[np.bool_], plane: RowPlane) -> BoxMark:
    """Return the mark that mutes rows outside the filter.

    Parameters
    ----------
    muted : ndarray of bool, shape (rows,)
        Which rows are outside.
    plane : RowPlane
        Positions of the rows.
    """
    half = plane.row / 2
    edges = [(plane.y(first) + half, plane.y(last) - half) for first, last in runs(muted)]
    return veil((plane.left + 1, plane.width, low, high) for high, low in edges)


def row_items(source: Source, plane: RowPlane) -> Items:
    """Return the areas in which rows can be pointed at.

    Parameters
    ----------
    source : Source
        One row for each row of the chart.
    plane : RowPlane
        Positions of the rows.
    """
    return Items("rows", source.name, 0.0, plane.top, plane.row, plane.width)


def _columns(bars: Bars, plane: RowPlane) -> dict[str, Any]:
    """Return the columns of the source: values in the unit of the axis, and the ends of parts."""
    count = len(bars)
    columns: dict[str, Any] = {
        "index": np.arange(count, dtype=np.int32),
        "name": ["" if one is None else str(one) for one in bars.x],
        "heading": bars.names,
        "total": bars.tops,
        "muted": bars.muted.astype(np.int32),
        "middle": [plane.y(index) for index in range(count)],
    }
    below = np.zeros(count)
    for one in bars.drawn:
        values = bars.values[one.key]
        columns[one.key] = values
        ends = np.where(values > 0, below + values, np.nan)  # NaN is not drawn
        columns[f"{one.key}_from"] = [plane.x(float(value)) for value in below]
        columns[f"{one.key}_to"] = [plane.x(float(value)) for value in ends]
        if bars.stacked:
            below = below + values
    return columns
