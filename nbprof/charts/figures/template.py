"""`FigureParts`: a chart as a Bokeh template, which does not change with filters, and its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nbprof.charts.figures.glyphs import Pen
from nbprof.charts.figures.models import Json, Models, reference
from nbprof.charts.figures.tooltip import as_markup, hover_tool
from nbprof.charts.marks import BubbleMark, PointerMark, TextMark, WedgeMark
from nbprof.charts.theme import palette

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart
    from nbprof.charts.marks import Mark, Source
    from nbprof.charts.theme import Palette

#: Renderers without glyphs for states that nbprof's charts do not distinguish.
_NO_VARIANTS: Final[Json] = {
    "selection_glyph": None,
    "nonselection_glyph": None,
    "muted_glyph": None,
}


#: A row for marks without texts: BokehJS fails on an empty column of fonts.
_BLANK: Final[Json] = {
    "x": 0.0,
    "y": 0.0,
    "text": "",
    "align": "left",
    "style": "normal",
    "color": "black",
    "size": "11px",
}


@dataclass(frozen=True)
class FigureParts:
    """A figure in two parts, which together make a Bokeh document with one figure.

    Attributes
    ----------
    root : dict
        The figure with all its models, without anything that depends on the data.
    columns : dict of str to dict
        The columns of each data source, lists or arrays, by its id.
    settings : dict of str to dict
        Other attributes that depend on the data, by the id of their model: ranges, sizes, tooltips.
    """

    root: Json
    columns: dict[str, Json]
    settings: dict[str, Json]


def figure_parts(chart: Chart, theme: str = "light") -> FigureParts:
    """Write a chart as the parts of a Bokeh figure of a fixed size, without frame and toolbar.

    Parameters
    ----------
    chart : Chart
        The chart to draw.
    theme : {"light", "dark"}, optional
        Colours. The background fills the figure, so that it looks right in any document.

    Raises
    ------
    ValueError
        There is no such theme, or the theme lacks a colour of the chart.
    """
    return _Writer(chart, palette(theme)).parts()


class _Writer:
    """Writes the parts of one figure."""

    def __init__(self, chart: Chart, colors: Palette) -> None:
        self.chart = chart
        self.colors = colors
        self.models = Models()
        self.pen = Pen(self.models, colors)
        self.columns: dict[str, Json] = {}
        self.tools: list[Json] = []
        self.brush: Json | None = None
        self._sources: dict[int, Json] = {}

    def parts(self) -> FigureParts:
        chart, model, colors = self.chart, self.models.model, self.colors
        ranges = [model("Range1d"), model("Range1d")]
        for range_, (start, end) in zip(ranges, (chart.x, chart.y), strict=True):
            self.models.set(range_, start=float(start), end=float(end))
        renderers = [one for mark in chart.layers() for one in self._renderers(mark)]
        toolbar = model("Toolbar", tools=self.tools)
        if self.brush:
            toolbar["attributes"]["active_drag"] = reference(self.brush)
        root = model(
            "Figure",
            name=chart.name,
            x_range=ranges[0],
            y_range=ranges[1],
            x_scale=model("LinearScale"),
            y_scale=model("LinearScale"),
            title=model("Title"),
            outline_line_color=None,
            background_fill_color=colors.background,
            border_fill_color=colors.background,
            renderers=renderers,
            toolbar=toolbar,
            toolbar_location=None,
            min_border=0,
        )
        tags = [chart.geometry] if chart.geometry else []
        self.models.set(root, width=chart.width, height=chart.height, tags=tags)
        return FigureParts(root, self.columns, self.models.settings)

    def _renderers(self, mark: Mark) -> list[Json]:
        """Return the renderers of the glyphs of a mark."""
        found = []
        for name, glyph, looks in self.pen.glyphs(mark):
            attributes = {
                "name": name,
                "data_source": self._source(mark),
                # Renderers that share a view would see half of each other's updates.
                "view": self.models.model("CDSView", filter=self.models.model("AllIndices")),
                "glyph": glyph,
                **_NO_VARIANTS,
            }
            if isinstance(mark, TextMark):
                attributes["level"] = "annotation"
            if "hovered" in looks:
                attributes["hover_glyph"] = looks["hovered"]
            if "dimmed" in looks:
                attributes["nonselection_glyph"] = looks["dimmed"]
            found.append(self.models.model("GlyphRenderer", **attributes))
        if isinstance(mark, PointerMark | WedgeMark | BubbleMark) and mark.tips:
            self._listen(mark, reference(found[-1]))
        return found

    def _source(self, mark: Mark) -> Json:
        """Return the data source of a mark; marks with the same source share it."""
        known = self._sources.get(id(mark.source))
        if known:
            return reference(known)
        name, model = mark.source.name, self.models.model
        chosen = model("Selection", indices=[], line_indices=[])
        empty = {"type": "map", "entries": []}
        source = model("ColumnDataSource", name=name, selected=chosen, data=empty)
        source["attributes"]["selection_policy"] = model("UnionRenderers")
        self.columns[source["id"]] = self._columns(mark.source, text=isinstance(mark, TextMark))
        self._sources[id(mark.source)] = source
        return source

    def _columns(self, source: Source, *, text: bool) -> Json:
        """Convert columns for Bokeh: tokens to colours, names to markup, sizes to font sizes."""
        columns = dict(source.columns)
        if "color" in columns:
            columns["color"] = [self.colors.color(token) for token in columns["color"]]
        if "heading" in columns:
            columns["heading"] = as_markup(columns["heading"])
        if text:
            columns["size"] = [f"{size:g}px" for size in columns["size"]]
            if not columns["text"]:
                columns = {name: [value] for name, value in _BLANK.items()}
        return columns

    def _listen(self, mark: PointerMark | WedgeMark | BubbleMark, renderer: Json) -> None:
        """Add the tools to point at the rows of a mark, click them and, if enabled, brush them."""
        model, accent = self.models.model, self.colors.accent
        self.tools.append(
            hover_tool(self.models, renderer, mark.tips, self.colors, heading=mark.heading)
        )
        self.tools.append(model("TapTool", renderers=[renderer]))
        if isinstance(mark, PointerMark) and mark.brushed:
            nowhere = {"type": "number", "value": "nan"}
            overlay = model(
                "BoxAnnotation",
                syncable=False,
                level="overlay",
                visible=False,
                editable=True,
                **dict.fromkeys(("left", "right", "top", "bottom"), nowhere),
                fill_color=accent,
                fill_alpha=0.14,
                line_color=accent,
                line_alpha=1.0,
                line_width=2,
                line_dash=[],
            )
            self.brush = model(
                "BoxSelectTool", renderers=[renderer], dimensions="width", overlay=overlay
            )
            self.tools.append(self.brush)
