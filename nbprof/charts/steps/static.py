"""The time of every step as stacked bars, as SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.charts.bars.series import CATEGORY_SERIES
from nbprof.charts.layout import label_every
from nbprof.charts.steps.plane import Plane, tick_text
from nbprof.charts.steps.side_labels import mean_text, side_labels
from nbprof.charts.svg import Svg, short
from nbprof.charts.text import text_width
from nbprof.model.units import choose_time_unit, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.bars.series import Series
    from nbprof.charts.theme import Palette
    from nbprof.model.units import TimeUnit

HEIGHT: Final = 236
_LEAST: Final = 3.0  # pixels from bar to bar; narrower ones would make the document large
_TOTALS: Final = 16  # steps up to which each bar carries its total


class StepBars:
    """Where the bars of steps stand, and what they are.

    Parameters
    ----------
    numbers : ndarray of int64, shape (steps,)
        Their numbers; at least one.
    parts : list of (Series, ndarray of float64, shape (steps,))
        Their parts from the bottom up, in the unit of the axis.
    total : ndarray of float64, shape (steps,)
        How high each bar is.
    width : int
        CSS pixels.
    unit : TimeUnit
        Unit of the axis.
    mean : float, optional
        The mean, where it is drawn.
    """

    def __init__(
        self,
        numbers: NDArray[np.int64],
        parts: list[tuple[Series, NDArray[np.float64]]],
        total: NDArray[np.float64],
        *,
        width: int,
        unit: TimeUnit,
        mean: float | None = None,
    ) -> None:
        self.unit = unit
        self.total = total
        self.numbers = numbers
        self.parts = [(one, values) for one, values in parts if values.any()]
        self.mean = mean
        labels = [one.label for one, _ in self.parts]
        self.plane = Plane.of(width, HEIGHT, len(total), float(total.max()), unit, labels=labels)
        self.merged = math.ceil(_LEAST / self.plane.slot) if self.plane.slot < _LEAST else 1

    @classmethod
    def of_steps(cls, steps: pa.Table, width: int, unit: str) -> StepBars:
        """Return the bars of the table ``steps``, which is not empty."""
        chosen = choose_time_unit(steps["total_us"], unit)

        def times(name: str) -> NDArray[np.float64]:
            values = np.nan_to_num(np.asarray(steps[f"{name}_us"], np.float64))
            return np.asarray(values / chosen.divisor, np.float64)

        total = times("total")
        complete = np.asarray(steps["complete"], bool)
        mean = float(total[complete].mean() if complete.any() else total.mean())
        parts = [(one, times(one.key)) for one in CATEGORY_SERIES]
        numbers = np.asarray(steps["step"], np.int64)
        return cls(numbers, parts, total, width=width, unit=chosen, mean=mean)

    def drawn(self) -> NDArray[np.int64]:
        """Return the steps that have a bar: all, or the slowest of each few."""
        if self.merged == 1:
            return np.arange(len(self.total))
        starts = range(0, len(self.total), self.merged)
        slowest = [at + int(self.total[at : at + self.merged].argmax()) for at in starts]
        return np.asarray(slowest, np.int64)

    def x(self, index: float) -> float:
        """Return the pixel of a bar's middle."""
        return self.plane.left + (index + 0.5) * self.plane.slot

    def y(self, value: float) -> float:
        """Return the pixel of a time."""
        return self.base - value / self.plane.per_pixel

    @property
    def base(self) -> float:
        """Pixel of the base line."""
        return self.plane.height - self.plane.bottom

    @property
    def right(self) -> float:
        """Pixel where the plane ends."""
        return self.plane.width - self.plane.right


def step_bars(steps: pa.Table, colors: Palette, *, width: int = 560, unit: str = "auto") -> Svg:
    """Draw the table ``steps``: one stacked bar per step, from kernels at the bottom to idle.

    Where bars would be narrower than three pixels, the slowest of each few steps is drawn, and the
    title of the axis says so.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``, not empty.
    colors : Palette
        Colours.
    width : int, optional
        CSS pixels, 500 at least.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis.
    """
    return draw_steps(StepBars.of_steps(steps, width, unit), colors)


def draw_steps(bars: StepBars, colors: Palette) -> Svg:
    """Draw bars of steps with their axes and labels."""
    made = Svg(bars.plane.width, HEIGHT, colors.background)
    _draw_axes(made, bars, colors)
    _draw_segments(made, bars, colors)
    written = _write_totals(made, bars, colors)
    _draw_mean(made, bars, colors, written)
    _write_sides(made, bars, colors)
    return made


def _draw_axes(made: Svg, bars: StepBars, colors: Palette) -> None:
    plane = bars.plane
    for tick in plane.ticks:
        color = colors.grid if tick else colors.line_strong
        made.line(plane.left, bars.y(tick), bars.right, bars.y(tick), color)
        text = tick_text(tick, plane.ticks)
        made.text(plane.left - 6, bars.y(tick), text, colors.muted, align="right")
    made.text(2, 8, bars.unit.label, colors.muted)
    words = f"Step (drawn: the slowest of every {bars.merged})" if bars.merged > 1 else "Step"
    middle = (plane.left + bars.right) / 2
    made.text(middle, plane.height - 8, words, colors.muted, align="center")
    names = [str(number) for number in bars.numbers]
    widest = max(map(text_width, (names[0], names[-1])))
    every = label_every(len(names), plane.slot, widest + 8)
    running = bool((np.diff(bars.numbers) == 1).all())
    for index, name in enumerate(names):
        if (int(bars.numbers[index]) if running else index) % every == 0:
            made.text(bars.x(index), bars.base + 11, name, colors.muted, align="center")


def _draw_segments(made: Svg, bars: StepBars, colors: Palette) -> None:
    """Draw one path per series, all bars of it."""
    rows = bars.drawn()
    pitch = bars.plane.slot * bars.merged
    gap = 1.0 if pitch >= 10 else 0.0
    width = bars.plane.bar * bars.plane.slot if bars.merged == 1 else pitch
    places = [bars.plane.left + (place + 0.5) * pitch - width / 2 for place in range(len(rows))]
    if bars.merged == 1:
        places = [bars.x(int(row)) - width / 2 for row in rows]
    below = np.zeros(len(rows))
    for series, all_values in bars.parts:
        values = all_values[rows]
        d = "".join(
            f"M{short(x)} {short(bars.y(low + value))}h{short(width)}"
            f"v{short(_height(value, bars, gap))}h{short(-width)}Z"
            for x, low, value in zip(places, below, values, strict=True)
            if value / bars.plane.per_pixel > 0.05
        )
        below = below + values
        fill = series.color(colors)
        if d:
            made.path(d, fill=made.hatched(fill) if series.hatched else fill)


def _height(value: float, bars: StepBars, gap: float) -> float:
    """Return the pixels of a segment less the gap under it, where it can spare them."""
    pixels = value / bars.plane.per_pixel
    return pixels - gap if pixels > 3 else pixels


def _write_totals(made: Svg, bars: StepBars, colors: Palette) -> list[tuple[float, float, float]]:
    """Write each bar's total over it if all have room; return left, right and height of each."""
    texts = [format_number(float(value), bars.unit.decimals) for value in bars.total]
    widths = list(map(text_width, texts))
    if len(texts) > _TOTALS or max(widths) + 4 > bars.plane.slot:
        return []
    written = []
    for index, (text, room) in enumerate(zip(texts, widths, strict=True)):
        x, y = bars.x(index), bars.y(float(bars.total[index])) - 9
        made.text(x, y, text, colors.foreground, align="center")
        written.append((x - room / 2 - 2, x + room / 2 + 2, y))
    return written


def _draw_mean(
    made: Svg, bars: StepBars, colors: Palette, written: Sequence[tuple[float, float, float]]
) -> None:
    """Draw the mean as a dashed line, which stops where it would run through a total."""
    if bars.mean is None:
        return
    y, at = bars.y(bars.mean), bars.plane.left
    for left, right, height in written:
        if abs(height - y) < 8:
            if left > at:
                made.line(at, y, left, y, colors.foreground, dash="3 3")
            at = right
    made.line(at, y, bars.right, y, colors.foreground, dash="3 3")


def _write_sides(made: Svg, bars: StepBars, colors: Palette) -> None:
    """Name the segments of the last bar and the mean, on leader lines."""
    plane = bars.plane
    if bars.merged > 1:
        if bars.mean is None:
            return
        text = mean_text(bars.mean, plane)
        made.text(bars.right + 7, bars.y(bars.mean), text, colors.foreground, bold=True)
        return
    last = [(one.label, float(values[-1])) for one, values in bars.parts]
    edge = bars.x(len(bars.total) - 1) + plane.bar * plane.slot / 2 + 2
    for label in side_labels(last, bars.mean, plane):
        start, y = bars.right if label.is_mean else edge, bars.base - label.pixel
        made.line(start, bars.y(label.at), bars.right + 4, y, colors.line_strong)
        color = colors.foreground if label.is_mean else colors.muted
        made.text(bars.right + 7, y, label.text, color, bold=label.is_mean)
