"""Bars that stand, one a step, as a Bokeh figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, VBar

from nbprof.charts.bars.rows import draw_legend
from nbprof.charts.canvas import Lines, Texts, place, sheet
from nbprof.charts.legend import LINE, legend, legend_height
from nbprof.charts.steps.bars import add_pointer, draw_bars, fill_look
from nbprof.charts.steps.labels import draw_axes, write_segments, write_steps, write_totals
from nbprof.charts.steps.plane import Plane
from nbprof.charts.steps.steps import integers

if TYPE_CHECKING:
    from bokeh.plotting import figure

    from nbprof.charts.bars.series import Bars
    from nbprof.charts.theme import Palette

_HEIGHT = 240  # pixels, without the legend


def draw_columns(bars: Bars, colors: Palette, *, width: int, name: str) -> figure:
    """Draw bars that stand; see `nbprof.charts.bars.stacked`."""
    highest = float(bars.tops.max(initial=0.0))
    labels = [one.label for one in bars.series] if bars.stacked else []
    plane = Plane.of(width, _HEIGHT, len(bars), highest, bars.unit, labels=labels)
    beside = bars.stacked and not plane.narrow
    entries = [] if beside else legend(bars.series, width - 4)
    room = legend_height(entries)
    right = plane.right if beside else 20.0
    plane = replace(plane, height=_HEIGHT + room, top=22.0 + room, right=right)
    made = sheet(
        name,
        width,
        plane.height,
        colors,
        min_border=0,
        x_axis_type=None,
        y_axis_type=None,
        x_range=(plane.start - plane.x(plane.left), plane.end + plane.x(plane.right)),
        y_range=(-plane.y(plane.bottom), plane.high + plane.y(plane.top)),
    )
    texts, leaders = Texts(), Lines()
    draw_axes(made, plane, colors, texts, over=7.0 + room)
    if not len(bars) or not bars.series:
        words = "Nothing to show" if len(bars) else "No steps"
        texts.add(plane.middle, plane.high / 2, words, colors.muted, align="center")
        texts.draw(made)
        return made
    columns = _columns(bars)
    source = ColumnDataSource(columns, name=name)
    if bars.stacked:
        draw_bars(made, source, plane, colors, bars.series)
        write_totals(made, bars.tops, plane, colors)
    else:
        _draw_beside(made, source, bars, plane, colors)
    write_steps(columns["step"], plane, colors, texts)
    if beside:
        write_segments(
            columns, None, plane, colors, series=bars.series, texts=texts, leaders=leaders
        )
    left, top = plane.start - plane.x(plane.left), plane.high + plane.y(plane.top)
    placed = [
        (left + plane.x(entry.x), top - plane.y(LINE * (entry.line + 0.5)), entry)
        for entry in entries
    ]
    draw_legend(made, placed, colors, texts, per_x=plane.x(1), per_y=plane.y(1))
    add_pointer(made, source, plane, colors, bars.series, total=bars.stacked)
    leaders.draw(made, colors.line_strong)
    texts.draw(made)
    return made


def _columns(bars: Bars) -> dict[str, Any]:
    """Return what the source holds: exact values in the unit of the axis."""
    numbers = np.array([0 if one is None else one for one in bars.x], np.int64)
    return {
        "index": np.arange(len(bars), dtype=np.int32),
        "step": integers(numbers),
        "total": bars.tops,
        **bars.values,
    }


def _draw_beside(
    made: figure, source: ColumnDataSource, bars: Bars, plane: Plane, colors: Palette
) -> None:
    """Draw the parts of each bar side by side."""
    count = len(bars.series)
    thick = plane.bar / count
    for at, one in enumerate(bars.series):
        off = (at - (count - 1) / 2) * thick
        source.data[f"{one.key}_x"] = [index + off for index in range(len(bars))]
        glyph = VBar(
            x=f"{one.key}_x",
            width=thick,
            bottom=0,
            top=one.key,
            line_color=colors.background if plane.slot > 10 * count else None,
            **fill_look(one, colors),
        )
        place(made, source, glyph, one.key)
