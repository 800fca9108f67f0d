"""Draws a chart as a Bokeh figure whose glyphs are bound to named data sources.

What depends on the data is in ranges and sources alone, apart from sizes that all rows share, such
as the thickness of bars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.models import BoxSelectTool, CDSView, ColumnDataSource, Range1d, TapTool
from bokeh.plotting import figure

from nbprof.charts.figures.glyphs import glyphs_of
from nbprof.charts.figures.tooltip import add_tooltip, as_markup
from nbprof.charts.marks import PointerMark, TextMark, WedgeMark
from nbprof.charts.theme import palette

if TYPE_CHECKING:
    from bokeh.models.renderers import GlyphRenderer

    from nbprof.charts.chart import Chart
    from nbprof.charts.marks import Mark
    from nbprof.charts.theme import Palette


def draw_figure(chart: Chart, theme: str = "light") -> figure:
    """Draw a chart as a Bokeh figure of a fixed size, without frame and toolbar.

    Parameters
    ----------
    chart : Chart
        What is drawn.
    theme : {"light", "dark"}, optional
        Colours. The background fills the figure, so that it looks right in any document.

    Raises
    ------
    ValueError
        There is no such theme, or a colour that the theme does not have.
    """
    colors = palette(theme)
    made = figure(
        name=chart.name,
        width=chart.width,
        height=chart.height,
        x_range=Range1d(start=chart.x[0], end=chart.x[1]),
        y_range=Range1d(start=chart.y[0], end=chart.y[1]),
        x_axis_type=None,
        y_axis_type=None,
        min_border=0,
        tools="",
        toolbar_location=None,
        outline_line_color=None,
        background_fill_color=colors.background,
        border_fill_color=colors.background,
        tags=[chart.geometry] if chart.geometry else [],
    )
    made.grid.visible = False
    # A model costs a millisecond: glyphs of one source share it and its view, and have none of the
    # variants for each state that `add_glyph` would make.
    sources: dict[int, tuple[ColumnDataSource, CDSView]] = {}
    for mark in chart.drawn():
        if id(mark.source) not in sources:
            sources[id(mark.source)] = _source(mark, colors), CDSView()
        source, view = sources[id(mark.source)]
        level = "annotation" if isinstance(mark, TextMark) else "glyph"
        for name, glyph, looks in glyphs_of(mark, colors):
            added = made.add_glyph(
                source,
                glyph,
                name=name,
                view=view,
                level=level,
                hover_glyph=looks.get("hovered"),
                nonselection_glyph=looks.get("dimmed"),
                selection_glyph=None,
                muted_glyph=None,
            )
        if isinstance(mark, PointerMark | WedgeMark):
            _listen(made, mark, added, colors)
    return made


def _source(mark: Mark, colors: Palette) -> ColumnDataSource:
    """Return the columns of a mark as Bokeh has them: colours of the theme, markup, font sizes."""
    columns = dict(mark.source.columns)
    if "color" in columns:
        columns["color"] = [colors.color(token) for token in columns["color"]]
    if "heading" in columns:
        columns["heading"] = as_markup(columns["heading"])
    if isinstance(mark, TextMark):
        columns["size"] = [f"{size:g}px" for size in columns["size"]]
    return ColumnDataSource(columns, name=mark.source.name)


def _listen(
    made: figure, mark: PointerMark | WedgeMark, added: GlyphRenderer[Any], colors: Palette
) -> None:
    """Make rows of a mark react to hovering, clicks and, if the mark wants it, brushing."""
    if not mark.tips:
        return
    add_tooltip(made, added, mark.tips, colors, heading=mark.heading)
    made.add_tools(TapTool(renderers=[added]))
    if isinstance(mark, PointerMark) and mark.brushed:
        brush = BoxSelectTool(dimensions="width", renderers=[added])
        look = {"fill_color": colors.accent, "fill_alpha": 0.14, "line_color": colors.accent}
        brush.overlay.update(**look, line_dash="solid")
        made.add_tools(brush)
        made.toolbar.active_drag = brush
