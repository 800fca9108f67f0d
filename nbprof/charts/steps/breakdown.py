"""`step_breakdown`: lays out the table `steps` as stacked bars; a single step as one long bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.charts.context import among
from nbprof.charts.series import CATEGORY_SERIES
from nbprof.charts.steps.columns import Columns, column_axes, draw_columns, thinned
from nbprof.charts.steps.plane import Plane
from nbprof.charts.steps.single import single_bar
from nbprof.model.arrays import floats_of, joined
from nbprof.model.contract.table import term_of
from nbprof.model.units import TimeUnit, choose_time_unit

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.chart import Chart

_PARTLY: Final = ("in part", "in full")
_OUTSIDE: Final = ("inside", "outside")


def step_breakdown(
    steps: pa.Table,
    *,
    width: int = 632,
    height: int | None = None,
    unit: str = "auto",
    mean: bool = True,
    least: float = 1.0,
    whole: pa.Table | None = None,
) -> Chart:
    """Lay out the table ``steps``: one stacked bar per step, from kernels at the bottom to idle.

    If steps are too close together, the slowest of each group is drawn, and the title of the axis
    says so; all of them can still be pointed at and selected, unless there are more than
    `MOST_STEPS`. A single step is drawn as one bar over the whole width, whose parts are labelled
    with their names and shares.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.
    width, height : int, optional
        CSS pixels. Below 500 pixels segments have no labels. A single bar has its own height.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the axis.
    mean : bool, optional
        Whether to draw the mean of the complete steps. Without it, a single step is titled as the
        whole recording.
    least : float, optional
        Minimum distance of bars in pixels; below it, several steps share a bar.
    whole : pyarrow.Table, optional
        The same table without the filter of steps and time: its other steps are drawn muted, and
        are not part of the mean.

    Returns
    -------
    Chart
        Named ``"steps"``, as is its source with the columns index (place of the bar), step (its
        number), total and one per category, in the unit of the axis. A click or a
        horizontal drag selects rows of that source.
    """
    steps, muted = among(steps, whole, "step")
    time_unit = choose_time_unit(steps["total_us"], unit)
    totals = _times(steps, "total", time_unit)
    highest = float(totals.max(initial=0.0))
    plane = Plane.of(width, height, len(totals), highest, time_unit, least=least)
    if not plane.count:
        chart = column_axes("steps", plane)
        chart.write(plane.middle, plane.high / 2, "No steps", "muted", align="center")
        return chart
    every = [
        one._replace(label=term_of(steps, f"{one.key}_us") or one.label) for one in CATEGORY_SERIES
    ]
    values = {one.key: _times(steps, one.key, time_unit) for one in every}
    series = [one for one in every if values[one.key].any()]
    complete = joined(steps["complete"]).copy()
    averaged = complete & ~muted if (complete & ~muted).any() else ~muted
    more = {} if complete.all() else {"recorded": [_PARTLY[int(one)] for one in complete]}
    if muted.any():
        more["filter"] = [_OUTSIDE[int(one)] for one in muted]
    columns = Columns(
        joined(steps["step"]),
        series,
        values,
        totals,
        mean=float(totals[averaged].mean()) if mean and averaged.any() else None,
        more=more,
        parts=every,
        muted=muted,
    )
    if plane.count == 1:
        title = "" if mean else "Whole recording"
        return single_bar("steps", columns, time_unit, width, title=title)
    columns, plane = thinned(columns, plane)
    chart = column_axes("steps", plane)
    draw_columns(chart, columns, plane, named=not plane.narrow)
    return chart


def _times(steps: pa.Table, name: str, unit: TimeUnit) -> NDArray[np.float64]:
    """Return a column of times; null and NaN become 0."""
    values = floats_of(steps[f"{name}_us"])
    return np.asarray(np.nan_to_num(values) / unit.divisor, np.float64)
