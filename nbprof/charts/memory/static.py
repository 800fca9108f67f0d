"""Allocated and reserved memory over time, with the steps and the peaks, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.layout import spread
from nbprof.charts.memory.plane import MemoryPlane, time_text
from nbprof.charts.memory.reading import Curve, Line, end_labels, read_components, read_curves
from nbprof.charts.steps.marks import STEP_BAND, step_marks
from nbprof.charts.steps.plane import tick_text
from nbprof.charts.svg import Svg, polyline, short
from nbprof.charts.text import fit_text, text_width
from nbprof.model.units import byte_unit, choose_time_unit, format_bytes
from nbprof.timeline.curves.curves import reduce_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.charts.theme import Palette

HEIGHT: Final = 236
#: Devices drawn; more could not be told apart.
MOST_CURVES: Final = 8
_COLUMNS: Final = 2  # pixels that one column of a reduced curve is wide
_PITCH: Final = 13  # pixels between two labels beside the curves
_LABEL: Final = 110  # pixels that a label there may take


def memory_lines(
    curve: pa.Table,
    peak: pa.Table,
    colors: Palette,
    *,
    by: str = "operator",
    steps: pa.Table | None = None,
    range_us: tuple[float, float] | None = None,
    width: int = 560,
    unit: str = "auto",
) -> Svg | None:
    """Draw the table ``memory_curve``: a line of allocated and dashes of reserved memory.

    Parameters
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``.
    colors : Palette
        Colours.
    by : {"operator", "component"}
        Whether devices are drawn, or the components of their memory.
    steps : pyarrow.Table, optional
        Table ``steps``, named over the curves.
    range_us : (float, float), optional
        What the axis of time shows, microseconds; by default from the first to the last record.
    width : int, optional
        CSS pixels, 500 at least.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis of time.

    Returns
    -------
    Svg or None
        None without any record.
    """
    read = read_components(curve) if by == "component" else read_curves(curve, peak)
    curves = read[:MOST_CURVES]
    if not curves:
        return None
    alone = curves[0] if len(curves) == 1 and by != "component" else None
    if range_us is None:
        times = [line.time_ns for one in curves for line in one.lines]
        range_us = min(t[0] for t in times) / 1000, max(t[-1] for t in times) / 1000
    highest = max(one.highest for one in curves)
    labels = [(at, fit_text(text, _LABEL)) for at, text in end_labels(curves, byte_unit(highest))]
    plane = MemoryPlane.of(
        width,
        HEIGHT,
        range_us,
        highest,
        time_unit=choose_time_unit([range_us[1]], unit),
        labels=[text for _, text in labels],
    )
    made = Svg(width, HEIGHT, colors.background)
    _draw_axes(made, plane, colors)
    if steps is not None:
        _draw_steps(made, steps, plane, colors)
    inks = (colors.allocated, *colors.slots[1:])
    for one, ink in zip(curves, inks, strict=False):
        _draw_curve(made, one, plane, colors, ink, filled=alone is not None)
    if alone is not None and alone.capacity_shown is not None:
        y = _y(plane, alone.capacity_shown / plane.unit.divisor)
        made.line(plane.left, y, width - plane.right, y, colors.foreground)
    if alone is not None:
        _write_peak(made, alone, plane, colors)
    _write_ends(made, labels, plane, colors)
    return made


def _y(plane: MemoryPlane, value: float) -> float:
    """Return the pixel of an amount of memory."""
    return plane.height - plane.bottom - value / plane.y(1)


def _draw_axes(made: Svg, plane: MemoryPlane, colors: Palette) -> None:
    right = plane.width - plane.right
    for tick in plane.ticks:
        y = _y(plane, tick)
        made.line(plane.left, y, right, y, colors.grid if tick else colors.line_strong)
        made.text(plane.left - 6, y, tick_text(tick, plane.ticks), colors.muted, align="right")
    made.text(2, 8, plane.unit.label, colors.muted)
    base = plane.height - plane.bottom
    for time in plane.times:
        text = time_text(time, plane.times)
        half = text_width(text) / 2 + 1
        x = min(max(plane.pixel_of(time), half), plane.width - half)
        made.text(x, base + 11, text, colors.muted, align="center")
    middle = (plane.left + right) / 2
    title = f"Time, {plane.time_unit.label}"
    made.text(middle, plane.height - 8, title, colors.muted, align="center")


def _draw_steps(made: Svg, steps: pa.Table, plane: MemoryPlane, colors: Palette) -> None:
    marks = step_marks(steps, plane)
    top, base = _y(plane, plane.high) - STEP_BAND, plane.height - plane.bottom
    d = "".join(f"M{short(plane.pixel_of(x))} {short(base)}V{short(top)}" for x in marks.bounds)
    if d:
        made.path(d, stroke=colors.line)
    for middle, text in marks.names:
        made.text(plane.pixel_of(middle), top + 7, text, colors.muted, align="center")


def _draw_curve(
    made: Svg, curve: Curve, plane: MemoryPlane, colors: Palette, ink: str, *, filled: bool
) -> None:
    """Draw allocated memory as a line, reserved memory as dashes, recorded peaks dotted."""
    for line in curve.lines:
        points = _points(line, plane)
        if len(points) < 2:
            continue
        if line.of == "allocated":
            if filled:
                base = plane.height - plane.bottom
                under = [*points, (points[-1][0], base), (points[0][0], base)]
                made.path(f"{polyline(under)}Z", fill=ink, opacity=0.16)
            made.path(polyline(points), stroke=ink, width=1.5)
        else:
            color = ink if curve.is_component or line.of == "peak allocated" else colors.reserved
            dash = " ".join(map(str, line.dashes))
            made.path(polyline(points), stroke=color, width=1.2, dash=dash)


def _points(line: Line, plane: MemoryPlane) -> list[tuple[float, float]]:
    """Return the corners of a step function: where it enters columns, how low and high it goes."""
    values = line.values / plane.unit.divisor
    per_unit = plane.time_unit.divisor * 1000
    start, end = round(plane.start * per_unit), round(plane.end * per_unit)
    columns = max(plane.columns // _COLUMNS, 1)
    found = reduce_steps(line.time_ns, values, start, end + 1, columns)
    points: list[tuple[float, float]] = []
    rows = zip(found.time, found.first, found.low, found.high, found.last, strict=True)
    for time, first, low, high, last in rows:
        x = plane.pixel_of(float(time) / per_unit)
        if points:
            points.append((x, points[-1][1]))
        # Down and up again inside the column, so that no peak is lost.
        inside = [value for value in (low, high) if value not in (first, last)]
        points += [(x, _y(plane, float(value))) for value in (first, *inside, last)]
    if points:
        points.append((plane.width - plane.right, points[-1][1]))
    return [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]


def _write_peak(made: Svg, curve: Curve, plane: MemoryPlane, colors: Palette) -> None:
    """Mark the peak and write its value over it."""
    time = curve.peak_us / plane.time_unit.divisor
    if not plane.start <= time <= plane.end:
        return
    x, y = plane.pixel_of(time), _y(plane, curve.peak / plane.unit.divisor)
    made.dot(x, y, 3.5, colors.foreground)
    text = f"Peak {format_bytes(curve.peak)}"
    room = text_width(text, bold=True)
    left = x + 6 if x + 6 + room <= plane.width - plane.right else x - 6 - room
    made.text(max(left, plane.left + 2), y - 9, text, colors.foreground, bold=True)


def _write_ends(
    made: Svg, labels: Sequence[tuple[float, str]], plane: MemoryPlane, colors: Palette
) -> None:
    """Say at the right end what each line is."""
    right, base = plane.width - plane.right, plane.height - plane.bottom
    ordered = sorted(labels)
    pixels = [value / plane.y(1) for value, _ in ordered]
    places = spread(pixels, _PITCH, 2, plane.high / plane.y(1))
    for (value, text), pixel in zip(ordered, places, strict=True):
        if abs(value / plane.y(1) - pixel) > 1:
            made.line(right, _y(plane, value), right + 4, base - pixel, colors.line_strong)
        made.text(right + 7, base - pixel, text, colors.foreground)
