"""`MemoryPlane`: the coordinates of the memory chart: pixels, time and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.charts.layout import round_ticks, tick_text, ticks_between
from nbprof.charts.text import text_width
from nbprof.model.units import ByteUnit, TimeUnit, byte_unit, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

NARROW = 500  # figures with fewer pixels have no labels beside the curves

_TIME_TICK = 64  # minimum distance of the times on the axis, in pixels
_HEADROOM = 1.12  # end of the axis relative to the highest value, for the label of the peak


@dataclass(frozen=True)
class MemoryPlane:
    """Positions of curves inside the figure; x is time, y is memory, each in the unit of its axis.

    Parameters
    ----------
    width, height : int
        The figure, in pixels.
    start, end : float
        Times at the ends of the axis.
    high : float
        Memory at the top of the axis, which starts at 0.
    ticks, times : tuple of float
        Values of the grid lines, and times on the axis.
    time_unit, unit : TimeUnit, ByteUnit
        Units of the axes.
    left, right, top, bottom : float
        Margins around the plane, in pixels.
    """

    width: int
    height: int
    start: float
    end: float
    high: float
    ticks: tuple[float, ...]
    times: tuple[float, ...]
    time_unit: TimeUnit
    unit: ByteUnit
    left: float
    right: float
    top: float
    bottom: float

    @classmethod
    def of(
        cls,
        width: int,
        height: int | None,
        range_us: tuple[float, float],
        highest: float,
        *,
        time_unit: TimeUnit,
        labels: Sequence[str],
        needed: bool = False,
    ) -> MemoryPlane:
        """Return the plane for a time range and a largest value.

        Parameters
        ----------
        width, height : int
            The figure, in pixels; the default height depends on the width.
        range_us : (float, float)
            Range of the time axis, in microseconds.
        highest : float
            Largest value that is drawn, in bytes.
        time_unit : TimeUnit
            Unit of the time axis.
        labels : sequence of str
            Labels beside the curves, as far as there is room.
        needed : bool
            Whether narrow figures have these labels as well.
        """
        narrow = width < NARROW
        unit = byte_unit(highest)
        start, end = (time / time_unit.divisor for time in range_us)
        end = end if end > start else start + 1.0
        ticks = tuple(round_ticks(highest / unit.divisor))
        written = [text_width(tick_text(tick, ticks)) for tick in ticks]
        left = max(40.0, max(written) + 9)
        right = (
            14.0
            if narrow and not needed
            else max([64.0, *(text_width(label) + 14 for label in labels)])
        )
        most = max(2, int((width - left - right) / _TIME_TICK))
        return cls(
            width,
            height or (220 if narrow else 244),
            start,
            end,
            max(ticks[-1], _HEADROOM * highest / unit.divisor),
            ticks,
            tuple(ticks_between(start, end, most)),
            time_unit,
            unit,
            left=left,
            right=right,
            top=46.0 if narrow else 36.0,
            bottom=38.0,
        )

    @property
    def narrow(self) -> bool:
        """Whether there is no room for labels beside the curves."""
        return self.width < NARROW

    @property
    def columns(self) -> int:
        """Width of the plane in pixels."""
        return max(1, round(self.width - self.left - self.right))

    def x(self, pixels: float) -> float:
        """Convert a distance from pixels to time."""
        return pixels * (self.end - self.start) / self.columns

    def y(self, pixels: float) -> float:
        """Convert a distance from pixels to memory."""
        return pixels * self.high / (self.height - self.top - self.bottom)

    @property
    def x_range(self) -> tuple[float, float]:
        """Times at the left and right edge of the figure."""
        return self.start - self.x(self.left), self.end + self.x(self.right)

    @property
    def y_range(self) -> tuple[float, float]:
        """Memory at the lower and upper edge of the figure."""
        return -self.y(self.bottom), self.high + self.y(self.top)

    def pixel_of(self, time: float) -> float:
        """Return the position of a time, in pixels from the left edge of the figure."""
        return self.left + (time - self.start) / self.x(1)


def time_text(time: float, times: Sequence[float]) -> str:
    """Return the text of a time on the axis, with as many decimals as the times need."""
    if len(times) < 2:
        return format_number(time, 3).rstrip("0").rstrip(".")
    return tick_text(time, (0.0, times[1] - times[0])) if time else "0"
