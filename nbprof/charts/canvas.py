"""What all figures share: an empty sheet without frame and tools, texts, leader lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource, MultiLine, Text
from bokeh.plotting import figure

from nbprof.charts.text import SMALL
from nbprof.charts.theme import FONT

if TYPE_CHECKING:
    from bokeh.models.glyph import Glyph
    from bokeh.models.renderers import GlyphRenderer

    from nbprof.charts.theme import Palette


def sheet(name: str, width: int, height: int, colors: Palette, **options: Any) -> figure:
    """Return an empty figure of a fixed size, without axes' decoration, frame or toolbar.

    Parameters
    ----------
    name : str
        Name of the model, by which the browser finds it.
    width, height : int
        CSS pixels.
    colors : Palette
        Its background fills the figure, so that it looks right in any document.
    **options
        Further arguments of `bokeh.plotting.figure`.
    """
    made = figure(
        name=name,
        width=width,
        height=height,
        tools="",
        toolbar_location=None,
        outline_line_color=None,
        background_fill_color=colors.background,
        border_fill_color=colors.background,
        **options,
    )
    made.grid.visible = False
    return made


def pixel_sheet(name: str, width: int, height: int, colors: Palette) -> figure:
    """Return an empty figure whose coordinates are CSS pixels from its lower left corner."""
    return sheet(
        name,
        width,
        height,
        colors,
        x_range=(0, width),
        y_range=(0, height),
        min_border=0,
        x_axis_type=None,
        y_axis_type=None,
    )


def vary(glyph: Any, **changes: Any) -> Any:
    """Return a copy of a glyph with some properties changed; Bokeh 3.4 only copies."""
    copy = glyph.clone()
    copy.update(**changes)
    return copy


def place(
    onto: figure,
    source: ColumnDataSource,
    glyph: Glyph,
    name: str,
    *,
    hovered: Glyph | None = None,
    dimmed: Glyph | None = None,
    level: str = "glyph",
) -> GlyphRenderer[Any]:
    """Add a glyph and none of the variants that `bokeh.plotting` makes of each.

    A model costs a millisecond to build and send, and figures are made anew at every filter.

    Parameters
    ----------
    onto : figure
        Where it is drawn.
    source : ColumnDataSource
        Its columns.
    glyph : Glyph
        What is drawn.
    name : str
        Name of the renderer.
    hovered, dimmed : Glyph, optional
        How rows look under the pointer, and while others are selected.
    level : str, optional
        Rendering level.
    """
    return onto.add_glyph(
        source,
        glyph,
        name=name,
        level=level,
        hover_glyph=hovered,
        nonselection_glyph=dimmed,
        selection_glyph=None,
        muted_glyph=None,
    )


@dataclass
class Texts:
    """Texts of a figure, gathered and drawn as one glyph.

    Columns of the source: x, y, text, align, baseline, style, color, size.
    """

    columns: dict[str, list[Any]] = field(
        default_factory=lambda: {
            name: [] for name in ("x", "y", "text", "align", "baseline", "style", "color", "size")
        }
    )

    def add(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        *,
        align: str = "left",
        baseline: str = "middle",
        bold: bool = False,
        size: float = SMALL,
    ) -> None:
        """Place a text at a point, in the coordinates of the figure."""
        style = "bold" if bold else "normal"
        row = (x, y, text, align, baseline, style, color, f"{size:g}px")
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)

    def draw(self, onto: figure, name: str = "labels", **options: Any) -> GlyphRenderer[Any]:
        """Draw all of them, from a source of this name."""
        glyph = Text(
            x="x",
            y="y",
            text="text",
            text_align={"field": "align"},
            text_baseline={"field": "baseline"},
            text_font_style={"field": "style"},
            text_color={"field": "color"},
            text_font_size={"field": "size"},
            text_font={"value": FONT},
            **options,
        )
        source = ColumnDataSource(dict(self.columns), name=name)
        return place(onto, source, glyph, name, level="annotation")


@dataclass
class Lines:
    """Leader lines of a figure, gathered and drawn as one glyph; source ``"leaders"``."""

    xs: list[list[float]] = field(default_factory=list)
    ys: list[list[float]] = field(default_factory=list)

    def add(self, *points: tuple[float, float]) -> None:
        """Add a line through some points."""
        self.xs.append([x for x, _ in points])
        self.ys.append([y for _, y in points])

    def draw(self, onto: figure, color: str) -> None:
        """Draw all of them."""
        source = ColumnDataSource({"xs": self.xs, "ys": self.ys}, name="leaders")
        place(onto, source, MultiLine(xs="xs", ys="ys", line_color=color), "leaders")


def transparent(made: figure) -> figure:
    """Take the background out of a figure, for a host whose own colour is to show.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Any figure of this package; it is changed and returned.
    """
    made.background_fill_color = None
    made.border_fill_color = None
    return made
