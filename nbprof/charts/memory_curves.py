"""The curves of the memory chart: one device's steps of memory as a row of pixels shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, Segment, Step, VAreaStep

from nbprof.charts.canvas import place
from nbprof.timeline.curves import reduce_steps

if TYPE_CHECKING:
    from bokeh.plotting import figure
    from numpy.typing import NDArray

    from nbprof.charts.memory_plane import MemoryPlane
    from nbprof.charts.memory_reading import Curve
    from nbprof.charts.theme import Palette


def draw_curve(
    made: figure, curve: Curve, plane: MemoryPlane, colors: Palette, ink: str, *, filled: bool
) -> None:
    """Draw allocated memory as a line and reserved memory as dashes.

    Every pixel column shows where the line enters and leaves it, and how low and high it goes
    inside. The source ``allocated LABEL`` has that as columns time, first, last, low and high, in
    the units of the axes.

    Parameters
    ----------
    made : bokeh.plotting.figure
        Where to.
    curve : Curve
        What.
    plane : MemoryPlane
        Where things are.
    colors : Palette
        Colours.
    ink : str
        Colour of the allocated memory.
    filled : bool
        Whether the area under it is tinted.
    """
    source = _source("allocated", curve.time_ns, curve.allocated, plane, curve)
    name = str(source.name)
    if filled:
        area = VAreaStep(x="time", y1=0, y2="last", step_mode="after")
        area.update(fill_color=ink, fill_alpha=0.14)
        place(made, source, area, f"{name} area")
    within = Segment(x0="time", x1="time", y0="low", y1="high", line_color=ink)
    place(made, source, within, f"{name} range")
    line = Step(x="time", y="last", mode="after", line_color=ink, line_width=1.5)
    place(made, source, line, name)
    known = ~np.isnan(curve.reserved)
    if known.any():
        source = _source("reserved", curve.time_ns[known], curve.reserved[known], plane, curve)
        line = Step(x="time", y="last", mode="after", line_color=colors.reserved)
        line.update(line_dash=[5, 3], line_width=1.5 if filled else 1)
        place(made, source, line, str(source.name))


def _source(
    what: str,
    time_ns: NDArray[np.int64],
    values: NDArray[np.float64],
    plane: MemoryPlane,
    curve: Curve,
) -> ColumnDataSource:
    """Return a step function reduced to the columns of the plane, up to its right end."""
    per_unit = plane.time_unit.divisor * 1000
    start, end = round(plane.start * per_unit), round(plane.end * per_unit)
    # The right end of the axis is inside: what happens there is drawn in the last column.
    found = reduce_steps(time_ns, values / plane.unit.divisor, start, end + 1, plane.columns)
    columns: dict[str, Any] = {
        "time": found.time / per_unit,
        "first": found.first,
        "last": found.last,
        "low": found.low,
        "high": found.high,
    }
    if len(found.time):
        at_end = {name: column[-1] for name, column in columns.items()}
        last = at_end["last"]
        at_end |= {"time": plane.end, "first": last, "low": last, "high": last}
        columns = {name: np.append(column, at_end[name]) for name, column in columns.items()}
    return ColumnDataSource(columns, name=f"{what} {curve.label}")
