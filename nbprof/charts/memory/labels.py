"""Draws the axes, step names, peaks and line labels of the memory chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.charts.axes import draw_values
from nbprof.charts.chart import Chart
from nbprof.charts.layout import spread
from nbprof.charts.marks import DotMark, LineMark, Source, TextMark
from nbprof.charts.memory.baseline import change_text
from nbprof.charts.memory.plane import time_text
from nbprof.charts.memory.step_names import STEP_BAND, step_names
from nbprof.charts.text import text_width
from nbprof.model.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.charts.memory.curves import Curve
    from nbprof.charts.memory.plane import MemoryPlane

_PITCH = 13  # pixels between two labels beside the curves
_OFF = 8  # minimum distance from the middle of a peak's label to a dashed line, in pixels


def memory_axes(plane: MemoryPlane) -> Chart:
    """Return a chart with base line, grid, ticks, units and the title of the time axis."""
    chart = Chart("memory", plane.width, plane.height, plane.x_range, plane.y_range)
    draw_values(chart, plane)
    top = plane.high + plane.y(plane.top - 7)
    left, right = plane.x_range
    chart.write(left, top, plane.unit.label, "muted")
    for time in plane.times:
        text = time_text(time, plane.times)
        half = plane.x(text_width(text) / 2 + 1)
        at = min(max(time, left + half), right - half)
        chart.write(at, -plane.y(11), text, "muted", align="center")
    middle = (plane.start + plane.end) / 2
    title = f"Time, {plane.time_unit.label}"
    chart.write(middle, -plane.y(plane.bottom - 8), title, "muted", align="center")
    return chart


def write_steps(chart: Chart, steps: pa.Table, plane: MemoryPlane) -> None:
    """Add a line at the start of each step, and write the names of the steps above the plane."""
    marks = step_names(steps, plane)
    if not marks.names:
        return
    top = plane.high + plane.y(STEP_BAND)
    lines = LineMark.named("steps")
    chart.marks.append(lines)
    for bound in marks.bounds.tolist():
        lines.add("line", (bound, 0.0), (bound, top))
    for middle, text in marks.names:
        at = plane.high + plane.y(STEP_BAND - 7)
        chart.write(middle, at, text, "muted", align="center")


def draw_peaks(
    chart: Chart,
    curves: Sequence[Curve],
    plane: MemoryPlane,
    baselines: Sequence[Curve | None] = (),
) -> None:
    """Mark the peaks in the visible range, and write their values beside them if there is room.

    Parameters
    ----------
    chart : Chart
        Gets the marks.
    curves : sequence of Curve
        The curves that are drawn.
    plane : MemoryPlane
        Their coordinates.
    baselines : sequence of Curve or None, optional
        The curve of another run for each; the text of a peak then says by how much it differs.
    """
    is_single = len(curves) == 1
    others = [*baselines, *[None] * (len(curves) - len(baselines))]
    there = [one for one in others if one is not None]
    all_curves = [*curves, *there]
    named = [
        (curve, _peak_words(curve, other, is_single=is_single))
        for curve, other in zip(curves, others, strict=True)
    ]
    named = [(curve, text) for curve, text in named if _is_visible(curve, plane)]
    texts = TextMark.named("totals", over=True)
    if baselines:
        marked = [one for one in there if _is_visible(one, plane)]
        chart.marks.append(DotMark(Source("baseline peaks", _points(marked, plane)), 6, "muted"))
    own = [curve for curve in curves if _is_visible(curve, plane)]
    chart.marks += [DotMark(Source("peaks", _points(own, plane)), 8, "foreground"), texts]
    taken: list[tuple[float, float, float]] = []  # left, right, height, in pixels
    for curve, text in named:
        [x], [y] = _points([curve], plane).values()
        width = text_width(text, bold=True)
        # Labels are above their mark, because the curve is below it.
        at, level = plane.pixel_of(x), y / plane.y(1) + 8
        left = at + 5 if at + 5 + width <= plane.width - plane.right else at - 5 - width
        left = max(left, plane.left + 2)
        level = _above_dashes(all_curves, plane, (left, left + width), level)
        if any(a < left + width and left < b and abs(h - level) < _PITCH for a, b, h in taken):
            continue
        taken.append((left, left + width, level))
        edge = plane.start + plane.x(left - plane.left)
        texts.add(edge, plane.y(level), text, "foreground", bold=True)


def _is_visible(curve: Curve, plane: MemoryPlane) -> bool:
    return plane.start <= curve.peak_us / plane.time_unit.divisor <= plane.end


def _points(curves: Sequence[Curve], plane: MemoryPlane) -> dict[str, list[float]]:
    """Return the positions of peaks."""
    return {
        "x": [curve.peak_us / plane.time_unit.divisor for curve in curves],
        "y": [curve.peak / plane.unit.divisor for curve in curves],
    }


def _peak_words(curve: Curve, baseline: Curve | None, *, is_single: bool) -> str:
    """Return the text of a peak: what it is, its value, and how much it differs."""
    words = "Peak" if is_single else f"{curve.label} peak"
    text = f"{words} {format_bytes(curve.peak)}"
    if baseline is None:
        return text
    before = f", baseline {format_bytes(baseline.peak)}" if is_single else ""
    return f"{text}{before} ({change_text(curve.peak, baseline.peak) or 'as before'})"


def _above_dashes(
    curves: Sequence[Curve], plane: MemoryPlane, ends: tuple[float, float], level: float
) -> float:
    """Return a height in pixels at which no dashed line crosses a text, if there is room.

    Parameters
    ----------
    curves : sequence of Curve
        The curves that are drawn.
    plane : MemoryPlane
        Their coordinates.
    ends : (float, float)
        Left and right end of the text, in pixels of the figure.
    level : float
        Preferred height of its middle.
    """
    in_ns = plane.time_unit.divisor * 1000
    times = [(plane.start + plane.x(end - plane.left)) * in_ns for end in ends]
    crossing = [0.0]
    for line in (one for curve in curves for one in curve.lines if one.dashes):
        begin, stop = np.searchsorted(line.time_ns, times, "right")
        values = line.values[max(begin - 1, 0) : stop]
        heights = values / plane.unit.divisor / plane.y(1)
        if (np.abs(heights - level) < _OFF - 1).any():
            crossing.append(float(heights.max()) + _OFF)
    above = max(crossing)
    room = plane.high / plane.y(1) - 6
    return above if level < above <= room else level


def write_sides(
    chart: Chart, labels: Sequence[tuple[float, str]], plane: MemoryPlane, *, above: bool
) -> None:
    """Write the name of each line beside its right end, or all names in one line above."""
    if above:
        at = plane.high + plane.y(plane.top - 7)
        words = " · ".join(text for _, text in labels)
        chart.write(plane.end + plane.x(plane.right - 2), at, words, "muted", align="right")
        return
    ordered = sorted(labels)
    pixels = [value / plane.y(1) for value, _ in ordered]
    places = spread(pixels, _PITCH, 2, plane.high / plane.y(1))
    for (value, text), pixel in zip(ordered, places, strict=True):
        if abs(value / plane.y(1) - pixel) > 1:
            end = plane.end + plane.x(4), plane.y(pixel)
            chart.leaders.add("line_strong", (plane.end, value), end)
        chart.write(plane.end + plane.x(7), plane.y(pixel), text, "foreground")
