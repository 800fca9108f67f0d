"""`memory_curve`: lays out the memory chart: allocated and reserved memory, steps and peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.marks import BoxMark, LineMark, Source, StepMark
from nbprof.charts.memory.categories import category_areas, name_categories, read_categories
from nbprof.charts.memory.curves import (
    Curve,
    end_labels,
    read_components,
    read_curves,
    wants_labels,
)
from nbprof.charts.memory.labels import draw_peaks, memory_axes, write_sides, write_steps
from nbprof.charts.memory.plane import MemoryPlane
from nbprof.model.units import byte_unit, choose_time_unit
from nbprof.timeline.curves.step_functions import reduce_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from nbprof.charts.chart import Chart
    from nbprof.charts.memory.baseline import MemoryBaseline
    from nbprof.charts.memory.curves import Line

_INKS: Final = ("allocated", *(f"slot{slot}" for slot in range(1, 10)))


def memory_curve(
    curve: pa.Table,
    peak: pa.Table,
    steps: pa.Table | None = None,
    categories: pa.Table | None = None,
    *,
    by: str = "operator",
    range_us: tuple[float, float] | None = None,
    marked_us: tuple[float, float] | None = None,
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
    column: int = 1,
    most: int | None = None,
    baseline: MemoryBaseline | None = None,
) -> Chart:
    """Lay out the table ``memory_curve``: allocated memory as lines, reserved memory dashed.

    For a single device, the area is tinted, and its capacity is a line if the peak exceeds half of
    it. Several devices, or the components of a device, are drawn over each other in separate
    colours. Recorded peaks so far are dotted.

    Parameters
    ----------
    curve, peak : pyarrow.Table
        Tables ``memory_curve`` and ``memory_peak``; devices without a row in ``peak`` are left out.
    steps : pyarrow.Table, optional
        Table ``steps``; steps are named above the curves.
    categories : pyarrow.Table, optional
        Table ``memory_categories``, drawn as areas under the curve of the device.
    by : {"operator", "component"}
        Whether to draw devices, or the components of their memory if recorded.
    range_us : (float, float), optional
        Range of the time axis in microseconds; by default from the first to the last record.
    marked_us : (float, float), optional
        A range to tint, in microseconds.
    width, height : int, optional
        CSS pixels. Below 500 pixels nothing is written beside the curves.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the time axis.
    column : int, optional
        Width in pixels of the columns to which curves are reduced.
    most : int, optional
        Maximum number of devices or components drawn, from the first one.
    baseline : MemoryBaseline, optional
        The memory of another run: a dashed line for each curve, with its peak. The peak of the
        curve then says how much it differs, and the time axis covers both.

    Returns
    -------
    Chart
        Named ``"memory"``. The sources ``allocated DEVICE`` and ``reserved DEVICE`` (for components
        ``reserved COMPONENT``, for recorded peaks ``peak allocated DEVICE``) have a row for every
        column of pixels in which the value changes: time, and first, last, low and high value. The
        source ``peaks`` has the peaks. All are in the units of the axes.
    """
    curves = read_components(curve)[:most] if by == "component" else read_curves(curve, peak, most)
    range_us = range_us or _range(curves)
    others = [] if baseline is None else baseline.partners(curves, by)
    there = [one for one in others if one is not None]
    range_us = baseline.joined(range_us) if baseline is not None and there else range_us
    highest = max([0.0, *(one.highest for one in (*curves, *there))])
    labels = end_labels(curves, byte_unit(highest))
    labels += end_labels(there, byte_unit(highest)) if len(curves) == 1 else []
    single = curves[0] if len(curves) == 1 and by != "component" else None
    found = [] if single is None else read_categories(categories)
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
    chart = memory_axes(plane)
    chart.geometry = _geometry(plane)
    if steps is not None:
        write_steps(chart, steps, plane)
    if marked_us is not None:
        chart.marks.extend(_marked(marked_us, plane))
    if found:
        chart.marks.append(category_areas(found, plane))
    if baseline is not None:
        inks = ["muted"] if single is not None else _INKS
        chart.marks.extend(_dashed(others, plane, inks, column, baseline.range_us[1]))
    for index, one in enumerate(curves):
        ink = _INKS[index % len(_INKS)]  # with more curves, colours repeat
        filled = single is not None and not found
        chart.marks.extend(_curve(one, plane, ink, filled=filled, column=column))
    if single is not None and single.capacity_shown is not None:
        at = single.capacity_shown / plane.unit.divisor
        capacity = LineMark.named("capacity")
        capacity.add("foreground", (plane.start, at), (plane.end, at))
        chart.marks.append(capacity)
    if not curves:
        middle = (plane.start + plane.end) / 2
        chart.write(middle, plane.high / 2, "No memory records", "muted", align="center")
        return chart
    draw_peaks(chart, curves, plane, others)
    if single is not None and found:
        name_categories(chart, found, plane, peak_us=single.peak_us)
    else:
        write_sides(chart, labels, plane, above=plane.narrow and not beside)
    return chart


def _curve(
    curve: Curve, plane: MemoryPlane, ink: str, *, filled: bool, column: int
) -> Iterator[StepMark]:
    """Return the marks of all lines of a curve: allocated solid, reserved dashed, peaks dotted.

    Each column shows the last value of every line, and minimum and maximum of allocated memory.
    """
    for one in curve.lines:
        source = Source(f"{one.of} {curve.label}", _reduced(one, plane, column))
        if one.of == "allocated":
            yield StepMark(source, ink, 1.5, ranges=True, filled=filled)
        else:
            own = curve.is_component or one.of == "peak allocated"
            width = 1.5 if filled else 1.0
            yield StepMark(source, ink if own else "reserved", width, one.dashes)


def _dashed(
    curves: Sequence[Curve | None],
    plane: MemoryPlane,
    inks: Sequence[str],
    column: int,
    until_us: float,
) -> Iterator[StepMark]:
    """Return the lines of a baseline, which end with its recording."""
    end = min(until_us / plane.time_unit.divisor, plane.end)
    for index, curve in enumerate(curves):
        if curve is None:
            continue
        [line] = curve.lines
        columns = _reduced(line, plane, column)
        if len(columns["time"]) and columns["time"][-1] > end:
            kept = columns["time"] < end
            at_end = {name: values[kept][-1:] for name, values in columns.items()}
            at_end["time"] = np.array([end])[: int(kept.any())]
            columns = {name: np.append(own[kept], at_end[name]) for name, own in columns.items()}
        source = Source(f"{line.of} {curve.label}", columns)
        yield StepMark(source, inks[index % len(inks)], 1.5, line.dashes)


def _reduced(one: Line, plane: MemoryPlane, column: int) -> dict[str, Any]:
    """Return a step function reduced to the columns of the plane, up to its right end."""
    per_unit = plane.time_unit.divisor * 1000
    start, end = round(plane.start * per_unit), round(plane.end * per_unit)
    # The right end of the axis is included: changes there are drawn in the last column.
    values = one.values / plane.unit.divisor
    points = reduce_steps(one.time_ns, values, start, end + 1, max(plane.columns // column, 1))
    columns: dict[str, Any] = {
        "time": points.time / per_unit,
        "first": points.first,
        "last": points.last,
        "low": points.low,
        "high": points.high,
    }
    if len(points.time):
        last = columns["last"][-1]
        at_end = {"time": plane.end, "first": last, "last": last, "low": last, "high": last}
        columns = {name: np.append(values, at_end[name]) for name, values in columns.items()}
    return columns


def _geometry(plane: MemoryPlane) -> dict[str, float]:
    """Return the position of the plane, from which a page converts pixels to times."""
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
    """Return the times of the first and the last record, in microseconds."""
    if not curves:
        return 0.0, 1.0
    lines = [line for curve in curves for line in curve.lines]
    first = min(int(line.time_ns[0]) for line in lines)
    last = max(int(line.time_ns[-1]) for line in lines)
    return first / 1000, last / 1000


def _marked(marked_us: tuple[float, float], plane: MemoryPlane) -> Iterator[BoxMark]:
    """Return the tint of a range, cut to the range of the axis."""
    start, end = (time / plane.time_unit.divisor for time in marked_us)
    start, end = max(start, plane.start), min(end, plane.end)
    if start < end:
        columns = {
            "left": [start],
            "right": [end],
            "bottom": [0.0],
            "top": [plane.high],
            "color": ["accent"],
        }
        yield BoxMark(Source("range", columns), tinted=True)
