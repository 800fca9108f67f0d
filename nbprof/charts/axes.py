"""Draws the value axis of a chart over time or steps: base line, grid and tick labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nbprof.charts.layout import tick_text
from nbprof.charts.marks import LineMark

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart


class HasTicks(Protocol):
    """The position of an axis and its ticks; `Plane` and `MemoryPlane` provide them."""

    @property
    def ticks(self) -> tuple[float, ...]:
        """Values at the grid lines, ascending from 0."""

    @property
    def start(self) -> float:
        """Left edge of the plot."""

    @property
    def end(self) -> float:
        """Right edge of the plot."""

    def x(self, pixels: float) -> float:
        """Convert a horizontal distance from pixels to the coordinates of the plot."""


def draw_values(chart: Chart, plane: HasTicks) -> None:
    """Add the base line, the grid, and the tick values to the left of it."""
    grid = LineMark.named("grid")
    chart.marks.append(grid)
    for tick in plane.ticks:
        grid.add("grid" if tick else "line_strong", (plane.start, tick), (plane.end, tick))
        text = tick_text(tick, plane.ticks)
        chart.write(plane.start - plane.x(6), tick, text, "muted", align="right")
