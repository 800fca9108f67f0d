"""Lays out the table `steps` as stacked bars, one per step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nbprof.charts.series import CATEGORY_SERIES
from nbprof.charts.steps.columns import Columns, column_axes, draw_columns
from nbprof.charts.steps.plane import Plane
from nbprof.model.arrays import floats_of, joined
from nbprof.model.units import TimeUnit, choose_time_unit

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.chart import Chart


def step_breakdown(
    steps: pa.Table,
    *,
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
    mean: bool = True,
    least: float = 1.0,
) -> Chart:
    """Lay out the table ``steps``: one stacked bar per step, from kernels at the bottom to idle.

    Where steps stand too close, the slowest one of each few is drawn, and the title of the axis
    says so; all of them can be pointed at and selected.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.
    width, height : int, optional
        CSS pixels. Under 500 pixels segments carry no labels.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis.
    mean : bool, optional
        Whether the mean of the complete steps is drawn.
    least : float, optional
        Pixels from step to step under which steps share a bar.

    Returns
    -------
    Chart
        Named ``"steps"``, as is its source with the columns index (place of the bar), step (its
        number), total and one per category, in the unit of the axis. A click or a
        horizontal drag selects rows of that source.
    """
    time_unit = choose_time_unit(steps["total_us"], unit)
    totals = _times(steps, "total", time_unit)
    highest = float(totals.max(initial=0.0))
    plane = Plane.of(width, height, len(totals), highest, time_unit, least=least)
    chart = column_axes("steps", plane)
    if not plane.count:
        chart.write(plane.middle, plane.high / 2, "No steps", "muted", align="center")
        return chart
    values = {one.key: _times(steps, one.key, time_unit) for one in CATEGORY_SERIES}
    series = [one for one in CATEGORY_SERIES if values[one.key].any()]
    complete = joined(steps["complete"])
    columns = Columns(
        joined(steps["step"]),
        series,
        values,
        totals,
        mean=float(totals[complete if complete.any() else slice(None)].mean()) if mean else None,
        more=None
        if complete.all()
        else {"recorded": ["in full" if one else "in part" for one in complete]},
        parts=CATEGORY_SERIES,
    )
    draw_columns(chart, columns, plane, named=not plane.narrow)
    return chart


def _times(steps: pa.Table, name: str, unit: TimeUnit) -> NDArray[np.float64]:
    """Return a column of times; null and NaN have no height."""
    values = floats_of(steps[f"{name}_us"])
    return np.asarray(np.nan_to_num(values) / unit.divisor, np.float64)
