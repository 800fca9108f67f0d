"""Draws the value axis of a chart over time or steps: base line, grid and tick labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nbprof.charts.layout import tick_text
from nbprof.charts.marks import LineMark

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart


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


def draw_values(chart: Chart, plane: HasTicks) -> None:
    """Add the base line, the grid, and the values of the ticks left of it."""
    grid = LineMark.named("grid")
    chart.marks.append(grid)
    for tick in plane.ticks:
        grid.add("grid" if tick else "line_strong", (plane.start, tick), (plane.end, tick))
        text = tick_text(tick, plane.ticks)
        chart.write(plane.start - plane.x(6), tick, text, "muted", align="right")
