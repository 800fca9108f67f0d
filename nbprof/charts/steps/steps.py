"""The time of every step as stacked bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource

from nbprof.charts.bars.series import CATEGORY_SERIES
from nbprof.charts.canvas import Lines, Texts, sheet
from nbprof.charts.steps.bars import add_pointer, draw_bars
from nbprof.charts.steps.labels import (
    draw_axes,
    draw_mean,
    write_mean_above,
    write_segments,
    write_steps,
    write_totals,
)
from nbprof.charts.steps.plane import Plane
from nbprof.charts.theme import palette
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import TimeUnit, choose_time_unit

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure
    from numpy.typing import NDArray


def step_breakdown(
    steps: pa.Table,
    *,
    theme: str = "light",
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
    mean: bool = True,
) -> figure:
    """Draw the table ``steps``: one stacked bar per step, from kernels at the bottom to idle.

    Where there are more steps than pixels, the slowest one of each pixel is drawn, and the title
    of the axis says so; all of them can be pointed at and selected.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.
    theme : {"light", "dark"}
        Colours.
    width, height : int, optional
        CSS pixels. Under 500 pixels segments carry no labels.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis.
    mean : bool, optional
        Whether the mean of the complete steps is drawn.

    Returns
    -------
    bokeh.plotting.figure
        Named ``"steps"``, as is its source with the columns index (place of the bar), step (its
        number), total and one per category that occurs, in the unit of the axis. A click or a
        horizontal drag selects rows of that source.
    """
    colors = palette(theme)
    time_unit = choose_time_unit(steps["total_us"], unit)
    columns = _columns(steps, time_unit)
    total = columns["total"]
    highest = float(total.max(initial=0.0))
    plane = Plane.of(width, height, len(total), highest, time_unit)
    made = sheet(
        "steps",
        width,
        plane.height,
        colors,
        min_border=0,
        x_axis_type=None,
        y_axis_type=None,
        x_range=(plane.start - plane.x(plane.left), plane.end + plane.x(plane.right)),
        y_range=(-plane.y(plane.bottom), plane.high + plane.y(plane.top)),
    )
    texts, leaders = Texts(), Lines()
    draw_axes(made, plane, colors, texts)
    if plane.count:
        source = ColumnDataSource(columns, name="steps")
        series = [one for one in CATEGORY_SERIES if one.key in columns]
        draw_bars(made, source, plane, colors, series)
        write_steps(columns["step"], plane, colors, texts)
        average = _mean(steps, total) if mean else None
        if average is not None:
            draw_mean(made, average, plane, colors)
        write_totals(made, total, plane, colors)
        if not plane.narrow:
            write_segments(
                columns, average, plane, colors, series=series, texts=texts, leaders=leaders
            )
        elif average is not None:
            write_mean_above(average, plane, colors, texts)
        add_pointer(made, source, plane, colors, series)
    else:
        texts.add(plane.middle, plane.high / 2, "No steps", colors.muted, align="center")
    leaders.draw(made, colors.line_strong)
    texts.draw(made)
    return made


def _columns(steps: pa.Table, unit: TimeUnit) -> dict[str, Any]:
    """Return what the source holds: exact values in the unit of the axis."""
    columns: dict[str, Any] = {
        "index": np.arange(steps.num_rows, dtype=np.int32),
        "step": integers(np.asarray(steps["step"], np.int64)),
        "total": _times(steps, "total", unit),
    }
    for name in CATEGORIES:
        values = _times(steps, name, unit)
        if values.any():
            columns[name] = values
    complete = steps["complete"].to_pylist()
    if not all(complete):
        columns["recorded"] = ["in full" if c else "in part" for c in complete]
    return columns


def _times(steps: pa.Table, name: str, unit: TimeUnit) -> NDArray[np.float64]:
    """Return a column of times; null and NaN have no height."""
    values = np.asarray(steps[f"{name}_us"], np.float64)
    return np.asarray(np.nan_to_num(values) / unit.divisor, np.float64)


def integers(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return integers in 32 bits, which browsers have arrays for, else as floats."""
    fits = not len(values) or np.abs(values).max() < 2**31
    return values.astype(np.int32 if fits else np.float64)


def _mean(steps: pa.Table, total: NDArray[np.float64]) -> float | None:
    """Return the mean of the complete steps, or of all where none is complete."""
    if not len(total):
        return None
    complete = np.asarray(steps["complete"], bool)
    return float(total[complete].mean() if complete.any() else total.mean())
