"""`MemoryPlane`: the coordinates of the memory chart: pixels, time and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.charts.layout import round_ticks, tick_text, ticks_between
from nbprof.charts.text import text_width
from nbprof.model.units import ByteUnit, TimeUnit, byte_unit, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

NARROW = 500  # pixels under which nothing is written beside the curves

_TIME_TICK = 64  # pixels from one time to the next, at least
_HEADROOM = 1.12  # of the axis over the highest value, for the name of the peak


@dataclass(frozen=True)
class MemoryPlane:
    """Where curves lie inside the figure; x is time, y is memory, each in the unit of its axis.

    Parameters
    ----------
    width, height : int
        The figure, in pixels.
    start, end : float
        Time at the ends of the axis.
    high : float
        Memory at the top of the axis, which starts at 0.
    ticks, times : tuple of float
        Values of the grid lines, and times that are written.
    time_unit, unit : TimeUnit, ByteUnit
        Units of the axes.
    left, right, top, bottom : float
        Pixels round the plane.
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
        """Return the plane for a range of time and so many bytes.

        Parameters
        ----------
        width, height : int
            The figure, in pixels; without a height one that suits the width.
        range_us : (float, float)
            What the axis of time shows, microseconds.
        highest : float
            Most bytes of anything that is drawn.
        time_unit : TimeUnit
            Unit of the axis of time.
        labels : sequence of str
            What stands beside the curves, as far as there is room.
        needed : bool
            Whether the labels stand there in narrow figures, too.
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
        """Pixels from the start to the end."""
        return max(1, round(self.width - self.left - self.right))

    def x(self, pixels: float) -> float:
        """Turn a distance in pixels into one in time."""
        return pixels * (self.end - self.start) / self.columns

    def y(self, pixels: float) -> float:
        """Turn a distance in pixels into one in memory."""
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
        """Return the pixels from the left edge of the figure to a time."""
        return self.left + (time - self.start) / self.x(1)


def time_text(time: float, times: Sequence[float]) -> str:
    """Write a time on the axis with as many decimals as the times there need."""
    if len(times) < 2:
        return format_number(time, 3).rstrip("0").rstrip(".")
    return tick_text(time, (0.0, times[1] - times[0])) if time else "0"
