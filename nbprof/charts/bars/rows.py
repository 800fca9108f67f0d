"""Bars that lie, with the names of their rows, as a Bokeh figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, HBar, Quad, Segment, TapTool

from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.canvas import Texts, pixel_sheet, place, vary
from nbprof.charts.legend import LABEL, LINE, SWATCH
from nbprof.charts.steps.bars import fill_look
from nbprof.charts.tooltip import add_tooltip, as_markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.plotting import figure

    from nbprof.charts.bars.series import Bars
    from nbprof.charts.legend import Entry
    from nbprof.charts.theme import Palette


def draw_rows(bars: Bars, colors: Palette, *, width: int, name: str) -> figure:
    """Draw bars that lie; see `nbprof.charts.bars.stacked`."""
    plane = RowPlane.of(bars, width)
    height = round(plane.height)
    made = pixel_sheet(name, width, height, colors)
    texts = Texts()
    draw_frame(made, bars, plane, colors, texts)
    if bars.series:
        source = ColumnDataSource(_columns(bars, plane), name=name)
        _draw_parts(made, source, bars, plane, colors)
        unit = bars.unit
        number = "{0,0" + (f".{'0' * unit.decimals}" if unit.decimals else "") + f"}} {unit.label}"
        lines = [("Total", f"@total{number}")] if bars.stacked else []
        lines += [(one.label, f"@{one.key}{number}") for one in bars.series]
        add_pointer(made, source, plane, lines, colors)
    tops = [(height - LINE * (entry.line + 0.5), entry) for entry in plane.entries]
    draw_legend(made, [(entry.x, y, entry) for y, entry in tops], colors, texts)
    texts.draw(made)
    return made


def draw_legend(
    made: figure,
    entries: Sequence[tuple[float, float, Entry]],
    colors: Palette,
    texts: Texts,
    *,
    per_x: float = 1.0,
    per_y: float = 1.0,
) -> None:
    """Draw swatches and labels.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where.
    entries : sequence of (float, float, Entry)
        Left side and middle of each, in the coordinates of the figure.
    colors : Palette
        Colours.
    texts : Texts
        Takes the labels.
    per_x, per_y : float, optional
        What a pixel is in those coordinates.
    """
    for x, y, entry in entries:
        half, right = per_y * SWATCH / 2, x + per_x * SWATCH
        box: dict[str, Any] = {
            "left": [x],
            "right": [right],
            "bottom": [y - half],
            "top": [y + half],
        }
        look = {**fill_look(entry.series, colors), "line_color": None}
        glyph = Quad(left="left", right="right", bottom="bottom", top="top", **look)
        place(made, ColumnDataSource(box), glyph, "swatch")
        texts.add(x + per_x * LABEL, y, entry.text, colors.muted)


def draw_frame(made: figure, bars: Bars, plane: RowPlane, colors: Palette, texts: Texts) -> None:
    """Draw what is round the bars: the grid, its values and unit, and the texts of the rows.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where.
    bars : Bars
        What the rows are of; without any length it is said that there is nothing.
    plane : RowPlane
        Where rows and ticks are.
    colors : Palette
        Colours.
    texts : Texts
        Takes the texts.
    """
    _draw_ticks(made, bars, plane, colors, texts)
    if not bars.tops.any():
        middle, at = (plane.left + plane.right) / 2, round(plane.height) - plane.y(0)
        texts.add(middle, at, "Nothing to show", colors.muted, align="center")
    for index, (label, total) in enumerate(zip(plane.names, plane.totals, strict=True)):
        at = round(plane.height) - plane.y(index)
        texts.add(plane.left - 8, at, label, colors.foreground, align="right")
        end = plane.x(float(bars.tops[index])) + 5
        texts.add(end, at, total, colors.muted)


def _draw_ticks(made: figure, bars: Bars, plane: RowPlane, colors: Palette, texts: Texts) -> None:
    """Draw the grid, the values under it and the unit."""
    bottom, top = plane.height - plane.base, plane.height - plane.top
    lines: dict[str, Any] = {
        "x": [plane.x(tick) for tick in plane.ticks],
        "color": [colors.line_strong] + [colors.grid] * (len(plane.ticks) - 1),
    }
    glyph = Segment(x0="x", y0=bottom, x1="x", y1=top, line_color="color")
    place(made, ColumnDataSource(lines), glyph, "grid", level="underlay")
    for tick, text in zip(plane.ticks, plane.tick_texts, strict=True):
        texts.add(plane.x(tick), bottom - 10, text, colors.muted, align="center")
    texts.add(plane.left - 14, bottom - 10, bars.unit.label, colors.muted, align="right")


def _columns(bars: Bars, plane: RowPlane) -> dict[str, Any]:
    """Return the source: values in the unit of the axis, and where parts begin and end."""
    count = len(bars)
    columns: dict[str, Any] = {
        "index": np.arange(count, dtype=np.int32),
        "name": ["" if one is None else str(one) for one in bars.x],
        "heading": as_markup(bars.names),
        "total": bars.tops,
        "middle": [plane.height - plane.y(index) for index in range(count)],
    }
    below = np.zeros(count)
    for one in bars.series:
        values = bars.values[one.key]
        columns[one.key] = values
        columns[f"{one.key}_from"] = [plane.x(float(value)) for value in below]
        columns[f"{one.key}_to"] = [plane.x(float(value)) for value in below + values]
        if bars.stacked:
            below = below + values
    return columns


def _draw_parts(
    made: figure, source: ColumnDataSource, bars: Bars, plane: RowPlane, colors: Palette
) -> None:
    for one, (off, thick) in zip(bars.series, plane.lanes(bars), strict=True):
        key = one.key
        if off:
            rows = range(len(bars))
            source.data[f"{key}_y"] = [plane.height - plane.y(row) - off for row in rows]
        glyph = HBar(
            y=f"{key}_y" if off else "middle",
            left=f"{key}_from",
            right=f"{key}_to",
            height=thick,
            line_color=colors.background if bars.stacked else None,
            **fill_look(one, colors),
        )
        dimmed = vary(glyph, fill_alpha=0.4, hatch_alpha=0.4)
        place(made, source, glyph, key, dimmed=dimmed)


def add_pointer(
    made: figure,
    source: ColumnDataSource,
    plane: RowPlane,
    lines: Sequence[tuple[str, str]],
    colors: Palette,
) -> None:
    """Let a row be pointed at and clicked over its whole length.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where.
    source : ColumnDataSource
        With the middle of each row, and its heading as markup.
    plane : RowPlane
        Where the rows are.
    lines : sequence of (str, str)
        Labels and values of the tooltip, see `nbprof.charts.tooltip`.
    colors : Palette
        Colours.
    """
    glyph = HBar(
        y="middle", left=0, right=plane.width, height=plane.row, fill_color=None, line_color=None
    )
    hovered = vary(glyph, fill_color=colors.foreground, fill_alpha=0.08)
    rows = place(made, source, glyph, "rows", hovered=hovered)
    add_tooltip(made, rows, lines, colors, heading="heading")
    made.add_tools(TapTool(renderers=[rows]))
