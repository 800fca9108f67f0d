"""Allocated and reserved memory over time, with the steps and the peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource, Quad, Segment

from nbprof.charts.canvas import Lines, Texts, place, sheet
from nbprof.charts.memory.categories import draw_categories, name_categories, read_categories
from nbprof.charts.memory.curves import draw_curve
from nbprof.charts.memory.labels import (
    draw_axes,
    draw_peaks,
    write_sides,
    write_steps,
)
from nbprof.charts.memory.plane import MemoryPlane
from nbprof.charts.memory.reading import (
    Curve,
    end_labels,
    read_components,
    read_curves,
    wants_labels,
)
from nbprof.charts.theme import palette
from nbprof.model.units import byte_unit, choose_time_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.charts.theme import Palette


def memory_curve(
    curve: pa.Table,
    peak: pa.Table,
    steps: pa.Table | None = None,
    categories: pa.Table | None = None,
    *,
    by: str = "operator",
    range_us: tuple[float, float] | None = None,
    marked_us: tuple[float, float] | None = None,
    theme: str = "light",
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
) -> figure:
    """Draw the table ``memory_curve``: a line of allocated and dashes of reserved memory.

    One device has its area tinted and, where its peak is over half of it, a line for its capacity.
    Several devices lie over each other, each in an ink of its own, and so do the components of a
    device. What recorders say was the most so far is dotted.

    Parameters
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``; devices without a row in ``peak`` are left out.
    steps : pyarrow.Table, optional
        Table ``steps``, named over the curves.
    categories : pyarrow.Table, optional
        Table ``memory_categories``: what the memory is for, as areas under the curve of the device.
    by : {"operator", "component"}
        Whether devices are drawn, or the components of their memory, where the trace tells them.
    range_us : (float, float), optional
        What the axis of time shows, microseconds; by default from the first to the last record.
    marked_us : (float, float), optional
        A range that is tinted, microseconds.
    theme : {"light", "dark"}
        Colours.
    width, height : int, optional
        CSS pixels. Under 500 pixels nothing is written beside the curves.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis of time.

    Returns
    -------
    bokeh.plotting.figure
        Named ``"memory"``. Sources ``allocated DEVICE`` and ``reserved DEVICE``, of components
        ``reserved COMPONENT``, of recorded peaks ``peak allocated DEVICE``, have a row for every
        column of pixels in which something changes: time, and first, last, low and high value;
        ``peaks`` has the peaks. All are in the units of the axes.
    """
    colors = palette(theme)
    curves = read_components(curve) if by == "component" else read_curves(curve, peak)
    range_us = range_us or _range(curves)
    highest = max([0.0, *(one.highest for one in curves)])
    labels = end_labels(curves, byte_unit(highest))
    alone = curves[0] if len(curves) == 1 and by != "component" else None
    found = [] if alone is None else read_categories(categories, colors)
    named = [f"■ {one.name}" for one in found]
    beside = bool(named) or wants_labels(curves)
    plane = MemoryPlane.of(
        width,
        height,
        range_us,
        highest,
        time_unit=choose_time_unit([range_us[1]], unit),
        labels=named or [text for _, text in labels],
        needed=beside,
    )
    made = sheet(
        "memory",
        width,
        plane.height,
        colors,
        min_border=0,
        x_axis_type=None,
        y_axis_type=None,
        x_range=(plane.start - plane.x(plane.left), plane.end + plane.x(plane.right)),
        y_range=(-plane.y(plane.bottom), plane.high + plane.y(plane.top)),
    )
    texts, peaks, leaders = Texts(), Texts(), Lines()
    draw_axes(made, plane, colors, texts)
    if steps is not None:
        write_steps(made, steps, plane, colors, texts)
    if marked_us is not None:
        _mark(made, marked_us, plane, colors)
    if found:
        draw_categories(made, found, plane)
    for one, ink in zip(curves, _inks(len(curves), colors), strict=False):
        draw_curve(made, one, plane, colors, ink, filled=alone is not None and not found)
    if alone is not None and alone.capacity_shown is not None:
        at = alone.capacity_shown / plane.unit.divisor
        glyph = Segment(x0=plane.start, y0="y", x1=plane.end, y1="y", line_color=colors.foreground)
        place(made, ColumnDataSource({"y": [at]}, name="capacity"), glyph, "capacity")
    if curves:
        draw_peaks(made, curves, plane, colors, peaks)
        if alone is not None and found:
            name_categories(made, found, plane, colors, peak_us=alone.peak_us, texts=texts)
        else:
            above = plane.narrow and not beside
            write_sides(labels, plane, colors, texts, leaders, above=above)
    else:
        middle = (plane.start + plane.end) / 2
        texts.add(middle, plane.high / 2, "No memory records", colors.muted, align="center")
    leaders.draw(made, colors.line_strong)
    texts.draw(made)
    peaks.draw(made, "totals", background_fill_color=colors.background, background_fill_alpha=0.8)
    made.tags = [_geometry(plane)]
    return made


def _geometry(plane: MemoryPlane) -> dict[str, float]:
    """Return where the plane is, so that a page can turn its pixels into times."""
    divisor = plane.time_unit.divisor
    return {
        "left": plane.left,
        "right": plane.right,
        "top": plane.top,
        "bottom": plane.bottom,
        "start_us": plane.start * divisor,
        "end_us": plane.end * divisor,
        "bytes": plane.unit.divisor,
    }


def _range(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return the time of the first and of the last record, microseconds."""
    if not curves:
        return 0.0, 1.0
    lines = [line for curve in curves for line in curve.lines]
    first = min(int(line.time_ns[0]) for line in lines)
    last = max(int(line.time_ns[-1]) for line in lines)
    return first / 1000, last / 1000


def _inks(count: int, colors: Palette) -> list[str]:
    """Return a colour for every device; beyond those there are, they come again."""
    inks = (colors.allocated, *colors.slots[1:])
    return [inks[index % len(inks)] for index in range(count)]


def _mark(
    made: figure, marked_us: tuple[float, float], plane: MemoryPlane, colors: Palette
) -> None:
    start, end = (time / plane.time_unit.divisor for time in marked_us)
    start, end = max(start, plane.start), min(end, plane.end)
    if start >= end:
        return
    area = Quad(left="left", right="right", bottom=0, top=plane.high, fill_color=colors.accent)
    area.update(fill_alpha=0.14, line_color=colors.accent)
    source = ColumnDataSource({"left": [start], "right": [end]}, name="range")
    place(made, source, area, "range", level="underlay")
