"""Lays out the table `overview`, the average step by category, as a donut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.charts.donut.donut import labelled_donut
from nbprof.charts.donut.slices import Slice, join_small
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import choose_time_unit, format_time

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.charts.chart import Chart

_JOINED_PCT = 2


def summary_donut(
    overview: pa.Table,
    *,
    width: int = 318,
    unit: str = "auto",
    hole: str = "a step",
    other: str = CATEGORIES["other"],
) -> Chart:
    """Lay out the table ``overview``: categories clockwise, largest first, small ones joined.

    Parameters
    ----------
    overview : pyarrow.Table
        Table ``overview``.
    width : int, optional
        CSS pixels.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the step time in the hole.
    hole : str
        Text below the time in the hole.
    other : str
        What the last category is called, such as "Outside the filter".

    Returns
    -------
    Chart
        Its source is that of `nbprof.charts.donut.donut.donut`; ``name`` is the category.
    """
    by_title = {title: key for key, title in CATEGORIES.items()}
    rows = zip(overview["category"].to_pylist(), overview["avg_us"].to_pylist(), strict=True)
    slices = [
        Slice(
            category,
            other if category == CATEGORIES["other"] else category,
            value,
            by_title[category],
        )
        for category, value in rows
        if category in by_title and value
    ]
    slices.sort(key=lambda s: -s.value)
    total = sum(s.value for s in slices)
    time_unit = choose_time_unit([total], unit)
    return labelled_donut(
        join_small(slices, _JOINED_PCT),
        hole=(format_time(total, time_unit), hole),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=None,
        width=width,
        height=180 if width < 400 else 150,
        value_title="Mean",
    )
