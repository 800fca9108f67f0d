"""What is written round the bars of the step chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, Segment

from nbprof.charts.axes import draw_values
from nbprof.charts.canvas import Lines, Texts, place
from nbprof.charts.layout import label_every
from nbprof.charts.steps.side_labels import mean_text, side_labels
from nbprof.charts.text import text_width
from nbprof.model.units import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.plotting import figure
    from numpy.typing import NDArray

    from nbprof.charts.bars.series import Series
    from nbprof.charts.steps.plane import Plane
    from nbprof.charts.theme import Palette

_TOTALS = 24  # steps up to which each bar carries its total


def draw_axes(
    made: figure, plane: Plane, colors: Palette, texts: Texts, *, over: float = 7.0
) -> None:
    """Draw base line and grid, with the ticks, the unit above them and the title below.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where.
    plane : Plane
        Where bars stand.
    colors : Palette
        Colours.
    texts : Texts
        Takes what is written.
    over : float, optional
        Pixels from the upper edge to the middle of the line of the unit.
    """
    draw_values(made, plane, colors, texts)
    above = plane.high + plane.y(plane.top - over)
    texts.add(plane.start - plane.x(plane.left), above, plane.unit.label, colors.muted)
    merged = f" (drawn: the slowest of every {plane.merged})" if plane.merged > 1 else ""
    below = -plane.y(plane.bottom - 8)
    texts.add(plane.middle, below, f"Step{merged}", colors.muted, align="center")


def draw_mean(made: figure, mean: float, plane: Plane, colors: Palette) -> None:
    """Draw a dashed line across all bars."""
    glyph = Segment(
        x0=plane.start,
        y0="y",
        x1=plane.end,
        y1="y",
        line_color=colors.foreground,
        line_dash=[3, 3],
    )
    place(made, ColumnDataSource({"y": [mean]}), glyph, "mean")


def write_steps(numbers: NDArray[Any], plane: Plane, colors: Palette, texts: Texts) -> None:
    """Write the numbers of the steps below the bars, every nth where they stand close."""
    widest = max(text_width(f"{n:.0f}") for n in (numbers.min(), numbers.max()))
    every = label_every(len(numbers), plane.slot, widest + 8)
    running = bool((np.diff(numbers) == 1).all())
    for index, number in enumerate(numbers):
        if (number if running else index) % every == 0:
            texts.add(index, -plane.y(11), f"{number:.0f}", colors.muted, align="center")


def write_totals(made: figure, totals: NDArray[np.float64], plane: Plane, colors: Palette) -> None:
    """Write each bar's total over it, on top of the mean's line, if all of them have room."""
    written = [format_number(float(value), plane.unit.decimals) for value in totals]
    if len(totals) > _TOTALS or max(map(text_width, written)) + 4 > plane.slot:
        return
    texts = Texts()
    for index, (value, text) in enumerate(zip(totals, written, strict=True)):
        texts.add(index, value + plane.y(9), text, colors.foreground, align="center")
    texts.draw(made, "totals", background_fill_color=colors.background, padding=1)


def write_mean_above(mean: float, plane: Plane, colors: Palette, texts: Texts) -> None:
    """Say the mean in the line of the unit, where there is no room beside the bars."""
    text = mean_text(mean, plane)
    texts.add(plane.end, _over(plane), text, colors.foreground, align="right")


def write_segments(
    columns: dict[str, Any],
    mean: float | None,
    plane: Plane,
    colors: Palette,
    *,
    series: Sequence[Series],
    texts: Texts,
    leaders: Lines,
) -> None:
    """Name the segments of the last bar and the mean, beside them and apart from each other."""
    last = [(one.label, float(columns[one.key][-1])) for one in series]
    edge = plane.count - 1 + plane.bar / 2 + plane.x(2)
    for label in side_labels(last, mean, plane):
        # The line of the mean ends where the plane does, a segment where its bar does.
        start = plane.end if label.is_mean else edge
        color = colors.foreground if label.is_mean else colors.muted
        leaders.add((start, label.at), (plane.end + plane.x(4), plane.y(label.pixel)))
        texts.add(plane.end + plane.x(7), plane.y(label.pixel), label.text, color)


def _over(plane: Plane) -> float:
    """Return the height of the line in which the unit stands."""
    return plane.high + plane.y(plane.top - 7)
