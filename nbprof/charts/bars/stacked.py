"""Columns of a table as bars, in parts that stand on each other or side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.charts.bars.columns import draw_columns
from nbprof.charts.bars.rows import draw_rows
from nbprof.charts.bars.series import Bars, Quantity
from nbprof.charts.theme import palette

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from bokeh.plotting import figure


def stacked_bars(
    table: pa.Table,
    *,
    x: str,
    series: Mapping[str, tuple[str, str]],
    stacked: bool = True,
    theme: str = "light",
    width: int = 632,
    unit: str = "auto",
    quantity: Quantity = "time",
    name: str = "bars",
) -> figure:
    """Draw one bar per row of a table, a part per column.

    Rows with numbers, such as steps, are bars that stand; rows with names are bars that lie, with
    room for the names. Parts that are zero everywhere are left out.

    Parameters
    ----------
    table : pyarrow.Table
        One row a bar.
    x : str
        Column of what each bar is of: numbers, or names.
    series : mapping of str to (str, str)
        Label and colour by column, from the bottom up. Colours are names of categories,
        ``slot0`` to ``slot9``, ``allocated``, ``reserved`` or ``remainder``.
    stacked : bool, optional
        Whether parts stand on each other, so that a bar is their sum, or side by side.
    theme : {"light", "dark"}, optional
        Colours.
    width : int, optional
        CSS pixels.
    unit : {"auto", "us", "ms", "s"}, optional
        Unit of times.
    quantity : {"time", "count", "share"}, optional
        What the columns hold: microseconds, numbers of calls, or shares from 0 to 100.
    name : str, optional
        Name of the figure and of its source.

    Returns
    -------
    bokeh.plotting.figure
        Its source has the columns index, step or name, total, and s0, s1, … for the series in the
        unit of the axis. A click, and over steps a horizontal drag, selects rows of it.

    Raises
    ------
    ValueError
        There is no such theme, unit or colour.
    """
    bars = Bars.of(table, x, series, stacked=stacked, unit=unit, quantity=quantity)
    draw = draw_rows if bars.named else draw_columns
    return draw(bars, palette(theme), width=width, name=name)
