"""`stacked_bars`: lays out any table as bars, one per row, with stacked or adjacent parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.charts.bars.bars import Bars, Quantity
from nbprof.charts.bars.columns import column_chart
from nbprof.charts.bars.rows import row_chart

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.chart import Chart


def stacked_bars(
    table: pa.Table,
    *,
    x: str,
    series: Mapping[str, tuple[str, str]],
    stacked: bool = True,
    width: int = 632,
    height: int = 240,
    least: float = 1.0,
    unit: str = "auto",
    quantity: Quantity = "time",
    name: str = "bars",
    muted: NDArray[np.bool_] | None = None,
) -> Chart:
    """Lay out one bar per row of a table, with one part per column.

    Rows with numbers, such as steps, become vertical bars; rows with names become horizontal bars.
    Parts that are zero everywhere are left out.

    Parameters
    ----------
    table : pyarrow.Table
        One row per bar.
    x : str
        Column that identifies bars by number or name.
    series : mapping of str to (str, str)
        Label and colour by column, from the bottom up. Colours are names of categories,
        ``slot0`` to ``slot9``, ``allocated``, ``reserved`` or ``remainder``.
    stacked : bool, optional
        Whether parts are stacked, so that a bar is their sum, or drawn side by side.
    width : int, optional
        CSS pixels.
    height : int, optional
        CSS pixels of vertical bars, without their legend.
    least : float, optional
        Minimum distance of vertical bars in pixels; below it, a bar represents several rows.
    unit : {"auto", "ns", "us", "ms", "s"}, optional
        Unit of times.
    quantity : {"time", "count", "share"}, optional
        Quantity in the columns: microseconds, numbers of calls, or shares from 0 to 100.
    name : str, optional
        Name of the figure and of its source.
    muted : ndarray of bool, optional
        Which rows are outside the filter; none by default.

    Returns
    -------
    Chart
        Its source has the columns index, step or name, total, and s0, s1, … for the series in the
        unit of the axis. A click, and over steps a horizontal drag, selects rows of it.

    Raises
    ------
    ValueError
        There is no such unit.
    """
    bars = Bars.of(table, x, series, stacked=stacked, unit=unit, quantity=quantity, muted=muted)
    if bars.named:
        return row_chart(bars, width=width, name=name)
    return column_chart(bars, width=width, height=height, least=least, name=name)
