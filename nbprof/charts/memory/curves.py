"""The curves of the memory chart: one device's steps of memory as a row of pixels shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, Segment, Step, VAreaStep

from nbprof.charts.canvas import place
from nbprof.timeline.curves.curves import reduce_steps

if TYPE_CHECKING:
    from bokeh.plotting import figure

    from nbprof.charts.memory.plane import MemoryPlane
    from nbprof.charts.memory.reading import Curve, Line
    from nbprof.charts.theme import Palette


def draw_curve(
    made: figure, curve: Curve, plane: MemoryPlane, colors: Palette, ink: str, *, filled: bool
) -> None:
    """Draw a line for each that is known: allocated memory solid, reserved dashed, peaks dotted.

    Every pixel column shows where a line enters and leaves it, and how low and high it goes inside.
    The source ``allocated LABEL`` has that as columns time, first, last, low and high, in the units
    of the axes; so has ``reserved LABEL``, and of recorded peaks ``peak allocated LABEL``.

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
        Colour of the allocated memory, and of all that a component has.
    filled : bool
        Whether the area under it is tinted.
    """
    for one in curve.lines:
        source = _source(one, plane, curve)
        name = str(source.name)
        if one.of == "allocated":
            if filled:
                area = VAreaStep(x="time", y1=0, y2="last", step_mode="after")
                area.update(fill_color=ink, fill_alpha=0.14)
                place(made, source, area, f"{name} area")
            within = Segment(x0="time", x1="time", y0="low", y1="high", line_color=ink)
            place(made, source, within, f"{name} range")
            line = Step(x="time", y="last", mode="after", line_color=ink, line_width=1.5)
        else:
            color = ink if curve.is_component or one.of == "peak allocated" else colors.reserved
            line = Step(x="time", y="last", mode="after", line_color=color)
            line.update(line_dash=list(one.dashes), line_width=1.5 if filled else 1)
        place(made, source, line, name)


def _source(one: Line, plane: MemoryPlane, curve: Curve) -> ColumnDataSource:
    """Return a step function reduced to the columns of the plane, up to its right end."""
    per_unit = plane.time_unit.divisor * 1000
    start, end = round(plane.start * per_unit), round(plane.end * per_unit)
    # The right end of the axis is inside: what happens there is drawn in the last column.
    values = one.values / plane.unit.divisor
    found = reduce_steps(one.time_ns, values, start, end + 1, plane.columns)
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
    return ColumnDataSource(columns, name=f"{one.of} {curve.label}")
