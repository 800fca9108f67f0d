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

_NARROW = 500  # figures with fewer pixels have no labels beside the bars


@dataclass(frozen=True)
class Plane:
    """Positions of bars inside the figure; x counts bars, y is time in the unit of the axis.

    Parameters
    ----------
    width, height : int
        The figure, in pixels.
    count : int
        Number of bars.
    high : float
        End of the axis.
    ticks : tuple of float
        Values of the grid lines.
    unit : TimeUnit
        Unit of the axis.
    left, right, top, bottom : float
        Margins around the plane, in pixels.
    least : float
        Minimum distance of bars in pixels; below it, several steps share a bar.
    each : int
        Steps that a bar stands for where only the slowest of them was kept.
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
    each: int = 1

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
        """Return the plane for a number of bars, the highest value, and the labels beside them."""
        narrow = width < _NARROW
        ticks = tuple(round_ticks(highest))
        texts = [tick_text(tick, ticks) for tick in ticks]
        mean = f"mean {format_number(highest, unit.decimals)}"  # no mean is wider
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
    def tall(self) -> float:
        """Height of the axis in pixels."""
        return self.height - self.top - self.bottom

    @property
    def per_pixel(self) -> float:
        """Time per pixel."""
        return self.high / self.tall

    @property
    def start(self) -> float:
        """Left edge of the plane."""
        return -0.5

    @property
    def end(self) -> float:
        """Right edge of the plane."""
        return max(self.count, 1) - 0.5

    @property
    def middle(self) -> float:
        """Middle between the left and the right edge."""
        return (self.start + self.end) / 2

    def x(self, pixels: float) -> float:
        """Convert a distance from pixels to bars."""
        return pixels / self.slot

    def y(self, pixels: float) -> float:
        """Convert a distance from pixels to time."""
        return pixels * self.per_pixel

    @property
    def merged(self) -> int:
        """Number of steps that share a bar; only the slowest of them is drawn."""
        return max(1, math.ceil(self.least / self.slot))

    @property
    def pitch(self) -> float:
        """Pixels from one drawn bar to the next."""
        return self.merged * self.slot

    @property
    def bar(self) -> float:
        """Width of a bar; bars close together touch, and their outlines separate them."""
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
