"""`Plane`: the coordinates of the step chart: pixels, bars and time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.charts.layout import round_ticks, tick_text
from nbprof.charts.text import text_width
from nbprof.model.units import TimeUnit, format_number

if TYPE_CHECKING:
    from collections.abc import Iterable

_NARROW = 500  # pixels under which nothing is written beside the bars


@dataclass(frozen=True)
class Plane:
    """Where bars stand inside the figure; x counts bars, y is time in the unit of the axis.

    Parameters
    ----------
    width, height : int
        The figure, in pixels.
    count : int
        How many bars there are.
    high : float
        Where the axis ends.
    ticks : tuple of float
        Values of the grid lines.
    unit : TimeUnit
        Unit of the axis.
    left, right, top, bottom : float
        Pixels round the plane.
    least : float
        Pixels from bar to bar, under which one bar is drawn for several.
    """

    width: int
    height: int
    count: int
    high: float
    ticks: tuple[float, ...]
    unit: TimeUnit
    left: float
    right: float
    top: float
    bottom: float
    least: float = 1.0

    @classmethod
    def of(
        cls,
        width: int,
        height: int | None,
        count: int,
        highest: float,
        unit: TimeUnit,
        *,
        labels: Iterable[str] = (),
        least: float = 1.0,
    ) -> Plane:
        """Return the plane for so many bars, the highest of them so high, with labels beside."""
        narrow = width < _NARROW
        ticks = tuple(round_ticks(highest))
        texts = [tick_text(tick, ticks) for tick in ticks]
        mean = f"mean {format_number(highest, unit.decimals)}"  # no mean is longer
        return cls(
            width,
            height or (220 if narrow else 300),
            count,
            max(ticks[-1], highest),
            ticks,
            unit,
            left=max(40.0, max(map(text_width, texts)) + 9),
            right=20.0 if narrow else max([112.0, *(text_width(t) + 10 for t in (mean, *labels))]),
            top=34.0 if narrow else 22.0,
            bottom=36.0,
            least=least,
        )

    @property
    def narrow(self) -> bool:
        """Whether there is no room for labels beside the bars."""
        return self.width < _NARROW

    @property
    def slot(self) -> float:
        """Pixels from bar to bar."""
        return (self.width - self.left - self.right) / max(self.count, 1)

    @property
    def per_pixel(self) -> float:
        """Time that a pixel stands for."""
        return self.high / (self.height - self.top - self.bottom)

    @property
    def start(self) -> float:
        """Where the plane starts on the left."""
        return -0.5

    @property
    def end(self) -> float:
        """Where the plane ends on the right."""
        return max(self.count, 1) - 0.5

    @property
    def middle(self) -> float:
        """Halfway between both."""
        return (self.start + self.end) / 2

    def x(self, pixels: float) -> float:
        """Turn a distance in pixels into one in bars."""
        return pixels / self.slot

    def y(self, pixels: float) -> float:
        """Turn a distance in pixels into one in time."""
        return pixels * self.per_pixel

    @property
    def merged(self) -> int:
        """How many steps share a bar, of which only the slowest is drawn."""
        return max(1, math.ceil(self.least / self.slot))

    @property
    def pitch(self) -> float:
        """Pixels from one drawn bar to the next."""
        return self.merged * self.slot

    @property
    def bar(self) -> float:
        """Width of a bar; close together they touch, and their outline is the gap."""
        if self.slot < 10:
            return 1.0
        return min(44 / self.slot, 0.62 if self.slot >= 24 else 0.8)

    @property
    def x_range(self) -> tuple[float, float]:
        """Coordinates of the left and right edge of the figure."""
        return self.start - self.x(self.left), self.end + self.x(self.right)

    @property
    def y_range(self) -> tuple[float, float]:
        """Coordinates of the lower and upper edge of the figure."""
        return -self.y(self.bottom), self.high + self.y(self.top)
