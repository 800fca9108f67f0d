"""What all figures share: an empty sheet without frame and tools, text, leader lines, tooltips."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from nbprof.charts.text import SMALL
from nbprof.charts.theme import FONT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.models import GlyphRenderer

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
    made = sheet(
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
    return made


@dataclass
class Texts:
    """Texts of a figure, gathered and drawn as one glyph.

    Columns of the source: x, y, text, align, baseline, style, color, size.
    """

    columns: dict[str, list[Any]] = field(
        default_factory=lambda: {
            name: []
            for name in ("x", "y", "text", "align", "baseline", "style", "color", "size")
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

    def draw(self, onto: figure, name: str = "labels", **options: Any) -> GlyphRenderer:
        """Draw all of them, from a source of this name."""
        return onto.text(
            x="x",
            y="y",
            text="text",
            text_align={"field": "align"},
            text_baseline={"field": "baseline"},
            text_font_style={"field": "style"},
            text_color={"field": "color"},
            text_font_size={"field": "size"},
            text_font={"value": FONT},
            source=ColumnDataSource(self.columns, name=name),
            level="annotation",
            **options,
        )


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
        onto.multi_line("xs", "ys", source=source, line_color=color, line_width=1)


def add_tooltip(
    onto: figure, on: GlyphRenderer, rows: Sequence[tuple[str, str]], colors: Palette
) -> None:
    """Show columns of a glyph's source while the pointer is over it.

    Values come from traces and are no HTML: Bokeh escapes what a list of pairs names.

    Parameters
    ----------
    onto : figure
        Where the glyph is drawn.
    on : GlyphRenderer
        The glyph.
    rows : sequence of (str, str)
        What a row says, and the template of its value.
    colors : Palette
        Colours of the tooltip.
    """
    onto.add_tools(HoverTool(renderers=[on], tooltips=list(rows), point_policy="follow_mouse"))
    onto.stylesheets = [_tooltip_style(colors)]


def _tooltip_style(colors: Palette) -> str:
    """Dress the tooltip; a long name wraps instead of running off the page."""
    return (
        ".bk-Tooltip {"
        f" background-color: {colors.raised}; color: {colors.foreground};"
        f" border: 1px solid {colors.line_strong}; border-radius: 4px;"
        f" font: 11px {FONT}; max-width: 360px; overflow-wrap: anywhere; opacity: 1;"
        " }"
    )


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
