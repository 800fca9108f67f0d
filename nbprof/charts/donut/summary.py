"""The average step as a donut of categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.charts.donut.donut import draw_donut
from nbprof.charts.donut.slices import Slice, join_small
from nbprof.charts.theme import palette
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import choose_time_unit, format_time

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure

_JOINED_PCT = 2


def summary_donut(
    overview: pa.Table,
    *,
    theme: str = "light",
    width: int = 318,
    unit: str = "auto",
    hole: str = "a step",
) -> figure:
    """Draw the table ``overview``: categories clockwise, largest first, small ones joined.

    Parameters
    ----------
    overview : pyarrow.Table
        Table ``overview``.
    theme : {"light", "dark"}
        Colours.
    width : int, optional
        CSS pixels.
    unit : {"auto", "us", "ms", "s"}
        Unit of the step time in the hole.
    hole : str
        What the time in the hole is of.

    Returns
    -------
    bokeh.plotting.figure
        Its source is as that of `nbprof.charts.donut.donut.donut`; ``name`` is the category.
    """
    colors = palette(theme)
    by_title = {title: colors.categories[key] for key, title in CATEGORIES.items()}
    rows = zip(overview["category"].to_pylist(), overview["avg_us"].to_pylist(), strict=True)
    found = [
        Slice(category, category, value, by_title[category])
        for category, value in rows
        if category in by_title and value
    ]
    found.sort(key=lambda s: -s.value)
    total = sum(s.value for s in found)
    time_unit = choose_time_unit([total], unit)
    return draw_donut(
        join_small(found, _JOINED_PCT, colors.remainder),
        hole=(format_time(total, time_unit), hole),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=None,
        colors=colors,
        width=width,
        height=180 if width < 400 else 150,
        value_title="Mean",
    )
