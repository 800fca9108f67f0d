"""What is written round the memory curves: axes, steps, peaks, what the lines are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource, Scatter, Segment

from nbprof.charts.axes import draw_values
from nbprof.charts.canvas import Lines, Texts, place
from nbprof.charts.layout import spread
from nbprof.charts.memory.plane import time_text
from nbprof.charts.steps.marks import STEP_BAND, step_marks
from nbprof.charts.text import text_width
from nbprof.model.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.charts.memory.plane import MemoryPlane
    from nbprof.charts.memory.reading import Curve
    from nbprof.charts.theme import Palette

_PITCH = 13  # pixels between two labels beside the curves


def draw_axes(made: figure, plane: MemoryPlane, colors: Palette, texts: Texts) -> None:
    """Draw base line and grid, with the ticks, the units and the title of the axis of time."""
    draw_values(made, plane, colors, texts)
    top = plane.high + plane.y(plane.top - 7)
    texts.add(plane.start - plane.x(plane.left), top, plane.unit.label, colors.muted)
    right = plane.end + plane.x(plane.right)
    for time in plane.times:
        text = time_text(time, plane.times)
        half = plane.x(text_width(text) / 2 + 1)
        at = min(max(time, plane.start - plane.x(plane.left) + half), right - half)
        texts.add(at, -plane.y(11), text, colors.muted, align="center")
    middle = (plane.start + plane.end) / 2
    title = f"Time, {plane.time_unit.label}"
    texts.add(middle, -plane.y(plane.bottom - 8), title, colors.muted, align="center")


def write_steps(
    made: figure, steps: pa.Table, plane: MemoryPlane, colors: Palette, texts: Texts
) -> None:
    """Draw a line where each step starts, and name the steps over the plane."""
    found = step_marks(steps, plane)
    if not found.names:
        return
    top = plane.high + plane.y(STEP_BAND)
    glyph = Segment(x0="x", y0=0, x1="x", y1=top, line_color=colors.line)
    lines: dict[str, Any] = {"x": found.bounds}
    place(made, ColumnDataSource(lines, name="steps"), glyph, "steps", level="underlay")
    for middle, text in found.names:
        at = plane.high + plane.y(STEP_BAND - 7)
        texts.add(middle, at, text, colors.muted, align="center")


def draw_peaks(
    made: figure, curves: Sequence[Curve], plane: MemoryPlane, colors: Palette, texts: Texts
) -> None:
    """Mark the peaks that are in sight and write each one's value beside it, if there is room."""
    alone = len(curves) == 1
    first, last = (time * plane.time_unit.divisor for time in (plane.start, plane.end))
    curves = [curve for curve in curves if first <= curve.peak_us <= last]
    points = [(c.peak_us / plane.time_unit.divisor, c.peak / plane.unit.divisor) for c in curves]
    source = ColumnDataSource({"x": [x for x, _ in points], "y": [y for _, y in points]})
    source.name = "peaks"
    ring = Scatter(x="x", y="y", size=8, fill_color=colors.background)
    ring.update(line_color=colors.foreground, line_width=1.5)
    place(made, source, ring, "peaks")
    taken: list[tuple[float, float, float]] = []  # left, right, height, in pixels
    for curve, (x, y) in zip(curves, points, strict=True):
        words = "Peak" if alone else f"{curve.label} peak"
        text = f"{words} {format_bytes(curve.peak)}"
        width = text_width(text, bold=True)
        # Above the mark, where the curve is not.
        at, level = plane.pixel_of(x), y / plane.y(1) + 8
        left = at + 5 if at + 5 + width <= plane.width - plane.right else at - 5 - width
        left = max(left, plane.left + 2)
        if any(a < left + width and left < b and abs(h - level) < _PITCH for a, b, h in taken):
            continue
        taken.append((left, left + width, level))
        edge = plane.start + plane.x(left - plane.left)
        texts.add(edge, plane.y(level), text, colors.foreground, bold=True)


def write_sides(
    labels: Sequence[tuple[float, str]],
    plane: MemoryPlane,
    colors: Palette,
    texts: Texts,
    leaders: Lines,
    *,
    above: bool,
) -> None:
    """Say at the right end what each line is, or above, in one line."""
    if above:
        at = plane.high + plane.y(plane.top - 7)
        words = " · ".join(text for _, text in labels)
        texts.add(plane.end + plane.x(plane.right - 2), at, words, colors.muted, align="right")
        return
    ordered = sorted(labels)
    pixels = [value / plane.y(1) for value, _ in ordered]
    places = spread(pixels, _PITCH, 2, plane.high / plane.y(1))
    for (value, text), pixel in zip(ordered, places, strict=True):
        if abs(value / plane.y(1) - pixel) > 1:
            leaders.add((plane.end, value), (plane.end + plane.x(4), plane.y(pixel)))
        texts.add(plane.end + plane.x(7), plane.y(pixel), text, colors.foreground)
