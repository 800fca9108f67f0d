"""Charts of points of cards: takes their positions from tables, and lays them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.charts.points.points import Points, Roof, point_chart
from nbprof.model.arrays import floats_of
from nbprof.model.building import arrow_array, table_of
from nbprof.model.names.short_names import short_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.cards.cards import CardChart
    from nbprof.charts.chart import Chart

_HEIGHT: Final = 380
#: Points without a colour of their own.
_OTHER: Final = "other"


def point_numbers(chart: CardChart, table: pa.Table) -> pa.Table:
    """Return the columns that a chart of points draws, of rows that have a place.

    Parameters
    ----------
    chart : CardChart
        A chart of kind ``"points"``.
    table : pyarrow.Table
        The table that it shows.

    Returns
    -------
    pyarrow.Table
        Columns name, x, y, size and part: the number of the series, -1 for none.
    """
    x, y, size = (floats_of(table[name]) for name in (chart.across, chart.up, chart.value))
    with np.errstate(invalid="ignore"):
        placed = np.flatnonzero((x > 0) & (y > 0) & np.isfinite(x) & np.isfinite(y) & (size >= 0))
    place = {value: at for at, (value, _, _) in enumerate(chart.series)}
    parts = [place.get(one or "", -1) for one in table[chart.by].to_pylist()]
    names = [one or "" for one in table[chart.x].to_pylist()]
    rows = placed.tolist()
    return table_of(
        {
            chart.x: arrow_array([names[row] for row in rows], pa.utf8()),
            "x": arrow_array(x[placed]),
            "y": arrow_array(y[placed]),
            "size": arrow_array(size[placed]),
            "part": arrow_array([parts[row] for row in rows], pa.int64()),
        }
    )


def draw_points(
    chart: CardChart,
    table: pa.Table,
    whole: pa.Table | None,
    *,
    width: int,
    label: Callable[[str], str] = short_name,
) -> Chart:
    """Lay out a chart of points; those outside the filter are muted.

    Parameters
    ----------
    chart : CardChart
        A chart of kind ``"points"``.
    table, whole : pyarrow.Table
        The table, and the same without the filter that a click sets, if it sets one.
    width : int
        CSS pixels.
    label : callable, optional
        Returns what is written beside a point.
    """
    rows = point_numbers(chart, table if whole is None else whole)
    names: list[Any] = rows[chart.x].to_pylist()
    kept = None if whole is None else set(table[chart.x].to_pylist())
    colors = [color for _, _, color in chart.series]
    used = set(rows["part"].to_pylist())
    x, y, size = (floats_of(rows[name]) for name in ("x", "y", "size"))
    points = Points(
        names,
        x,
        y,
        size,
        [colors[part] if part >= 0 else _OTHER for part in rows["part"].to_pylist()],
        np.array([kept is not None and name not in kept for name in names], np.bool_),
        label,
    )
    legend = [(label, color) for at, (_, label, color) in enumerate(chart.series) if at in used]
    roofs = [Roof(*roof) for roof in chart.roofs]
    return point_chart(points, roofs, legend, width=width, height=_HEIGHT, axes=chart.axes)
