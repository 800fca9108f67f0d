"""Lays out the four charts of the operators view: self times as donuts, total times as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.charts.bars.nested import nested_bars
from nbprof.charts.donut.donut import donut, width_of
from nbprof.model.names.short_names import color_slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from nbprof.charts.chart import Chart

#: Titles of the charts, by key; the column of the table is the key with ``_us``.
OPERATOR_CHARTS: Final = {
    "device_self": "Device self time",
    "device_total": "Device total time, % of the self time of all operators",
    "host_self": "Host self time",
    "host_total": "Host total time, % of the self time of all operators",
}


def operator_charts(
    operators: pa.Table,
    *,
    unnamed: pa.Table | None = None,
    width: int | Mapping[str, int] = 476,
    top: int | None = 7,
    unit: str = "auto",
    order: Sequence[str] | None = None,
) -> dict[str, Chart]:
    """Lay out the table ``operators``: device and host time, self and total.

    Self times add up to the whole. Total times do not, since a call also counts in each of its
    parents: they are bars, with percentages of the whole, which is the sum of the self times.

    Parameters
    ----------
    operators : pyarrow.Table
        Table ``operators`` in any grouping; rows with the same name are added up.
    unnamed : pyarrow.Table, optional
        The same table without a filter by name: all its names are drawn, muted if they are not in
        `operators`, and its self times sum to the whole. By default `operators`.
    width : int or mapping of str to int, optional
        CSS pixels of each chart, or by key; ``""`` is for all keys that are not listed.
    top : int or None
        Number of names with a slice or bar of their own; None for all that can be distinguished.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the totals.
    order : sequence of str, optional
        Names of the unfiltered trace, largest first, which determine the colours, so that filters
        do not change them. By default the names of this table.

    Returns
    -------
    dict of str to Chart
        Charts by the keys of `OPERATOR_CHARTS`. Charts whose column has only nulls are left out,
        such as device times in a trace without a device. Empty for a table without rows.
    """
    kept = None if unnamed is None else set(operators["name"].to_pylist())
    operators = operators if unnamed is None else unnamed
    names = operators["name"].to_pylist()
    slot_of = color_slots(rank_operators(operators) if order is None else order)
    look: dict[str, Any] = {"slot_of": slot_of, "top": top, "unit": unit, "kept": kept}
    charts = {}
    for key, title in OPERATOR_CHARTS.items():
        column = operators[f"{key}_us"]
        if column.null_count == operators.num_rows:
            continue
        shared = {**look, "title": title, "width": width_of(key, width)}
        if key.endswith("_total"):
            whole = pc.sum(operators[key.replace("_total", "_self_us")]).as_py() or 0.0
            charts[key] = nested_bars(names, column.to_pylist(), whole=whole, **shared)
        else:
            charts[key] = donut(names, column.to_pylist(), **shared)
    return charts


def rank_operators(operators: pa.Table) -> list[str]:
    """Return names in the order that determines colours: by device self or else host self time.

    Parameters
    ----------
    operators : pyarrow.Table
        Table ``operators`` of the unfiltered trace.
    """
    device = operators["device_self_us"]
    measured = device.null_count < operators.num_rows
    values = (device if measured else operators["host_self_us"]).to_pylist()
    names = operators["name"].to_pylist()
    rows = zip(names, values, strict=True)
    return [n for n, _ in sorted(rows, key=lambda row: (-(row[1] or 0.0), row[0]))]
