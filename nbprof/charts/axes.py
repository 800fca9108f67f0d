"""The value axis of a chart over time or steps: base line, grid and the ticks beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from bokeh.models import ColumnDataSource, Segment

from nbprof.charts.canvas import place
from nbprof.charts.steps.plane import tick_text

if TYPE_CHECKING:
    from bokeh.plotting import figure

    from nbprof.charts.canvas import Texts
    from nbprof.charts.theme import Palette


class HasTicks(Protocol):
    """What an axis needs of a plane: where it runs, and its ticks from 0 up."""

    @property
    def ticks(self) -> tuple[float, ...]:
        """Values, from 0 up."""

    @property
    def start(self) -> float:
        """Where the plot begins."""

    @property
    def end(self) -> float:
        """Where the plot ends."""

    def x(self, pixels: float) -> float:
        """Turn a distance in pixels into one along the plot."""


def draw_values(made: figure, plane: HasTicks, colors: Palette, texts: Texts) -> None:
    """Draw the base line, the grid, and the values of the ticks left of it."""
    ticks = list(plane.ticks)
    lines: dict[str, Any] = {
        "y": ticks,
        "color": [colors.line_strong] + [colors.grid] * (len(ticks) - 1),
    }
    glyph = Segment(x0=plane.start, y0="y", x1=plane.end, y1="y", line_color="color")
    place(made, ColumnDataSource(lines), glyph, "grid", level="underlay")
    for tick in ticks:
        text = tick_text(tick, plane.ticks)
        texts.add(plane.start - plane.x(6), tick, text, colors.muted, align="right")
