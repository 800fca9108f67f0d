"""Lays out `Bars` of steps with the columns of the step chart (`charts/steps`), and a legend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nbprof.charts.bars.legend import draw_legend, legend, legend_height
from nbprof.charts.steps.columns import Columns, column_axes, draw_columns, thinned
from nbprof.charts.steps.plane import Plane
from nbprof.charts.steps.single import single_bar

if TYPE_CHECKING:
    from nbprof.charts.bars.bars import Bars
    from nbprof.charts.chart import Chart


def column_chart(bars: Bars, *, width: int, height: int, least: float, name: str) -> Chart:
    """Lay out vertical bars, or a single stacked one as a horizontal bar; see `bars.stacked`."""
    highest = float(bars.tops.max(initial=0.0))
    labels = [one.label for one in bars.series] if bars.stacked else []
    plane = Plane.of(width, height, len(bars), highest, bars.unit, labels=labels, least=least)
    beside = bars.stacked and not plane.narrow
    entries = [] if beside else legend(bars.series, width - 4)
    room = legend_height(entries)
    right = plane.right if beside else 20.0
    plane = replace(plane, height=height + room, top=22.0 + room, right=right)
    if not len(bars) or not bars.series:
        chart = column_axes(name, plane, over=7.0 + room)
        words = "Nothing to show" if len(bars) else "No steps"
        chart.write(plane.middle, plane.high / 2, words, "muted", align="center")
        return chart
    numbers = np.array([0 if one is None else one for one in bars.x], np.int64)
    columns = Columns(
        numbers,
        bars.series,
        bars.values,
        bars.tops,
        stacked=bars.stacked,
        parts=bars.parts,
        muted=bars.muted,
    )
    if len(bars) == 1 and bars.stacked:
        return single_bar(name, columns, bars.unit, width)
    columns, plane = thinned(columns, plane)
    chart = column_axes(name, plane, over=7.0 + room)
    draw_columns(chart, columns, plane, named=beside)
    corner = plane.x_range[0], plane.y_range[1]
    draw_legend(chart, entries, corner, (plane.x(1), plane.y(1)))
    return chart
