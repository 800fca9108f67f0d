"""Charts of cards: computes their values from tables, lays them out, and draws them as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.bars.stacked import stacked_bars
from nbprof.charts.cards.card_points import draw_points, point_numbers
from nbprof.charts.context import among
from nbprof.charts.donut.donut import donut_height, labelled_donut
from nbprof.charts.donut.ring import ring
from nbprof.charts.donut.slices import Slice
from nbprof.charts.svg.drawing import STATIC_BAR, STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.model.arrays import dtype_of, floats_of, joined
from nbprof.model.building import arrow_array, arrow_scalar, filled, table_of
from nbprof.model.names.short_names import short_name
from nbprof.model.units import choose_time_unit, format_number, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from nbprof.charts.cards.cards import CardChart
    from nbprof.charts.chart import Chart
    from nbprof.charts.svg.document import Svg
    from nbprof.charts.theme import Palette

_WIDE = 1000  # minimum height of a donut, pixels
_UNITS = {"time": "us", "share": "%", "count": ""}


def wide(chart: CardChart, table: pa.Table, kept: Collection[Any] | None = None) -> pa.Table:
    """Return the values of a bar chart: one row per bar, one column per part.

    Parameters
    ----------
    chart : CardChart
        A chart of kind ``"bars"``.
    table : pyarrow.Table
        The table that it shows.
    kept : collection, optional
        The bars that the filter keeps. As far as there is room, they stay separate when the
        smallest bars are added up.

    Returns
    -------
    pyarrow.Table
        The column `x` as in the table, then one per series, named by its label.
    """
    if chart.where:
        column, value = chart.where
        texts = filled(table[column].cast(pa.utf8()), "")
        table = table.filter(pc.equal(texts, arrow_scalar(value)))
    if chart.by:
        names, parts = _pivot(chart, table)
        if not chart.picks:
            names, parts = _with_length(names, parts)
    else:
        names = table[chart.x].combine_chunks()
        parts = [_difference(table, column) for column, _, _ in chart.series]
    field = table.schema.field(chart.x).with_type(names.type)
    if chart.most and len(names) > chart.most:
        names, parts, rest = _longest(names, parts, chart.most, kept)
        rest_of = f"{rest:,} other{'s' if rest > 1 else ''}"
        field = field.with_metadata({**(field.metadata or {}), "missing": rest_of})
    unit = _UNITS[chart.quantity]
    fields = [field]
    meta = {"unit": unit, "meaning": ""}
    numeric = pa.int64() if chart.quantity == "count" else pa.float64()
    fields += [pa.field(label, numeric, metadata=meta) for _, label, _ in chart.series]
    columns = [arrow_array(part.astype(dtype_of(numeric))) for part in parts]
    return pa.table([names, *columns], schema=pa.schema(fields))


def numbers(chart: CardChart, table: pa.Table) -> pa.Table:
    """Return the values that a chart draws: those of `wide`, or the sizes of slices.

    Parameters
    ----------
    chart : CardChart
        The chart.
    table : pyarrow.Table
        The table that it shows.

    Returns
    -------
    pyarrow.Table
        For bars, the result of `wide`; for points, that of `point_numbers`; for a donut, columns
        name and value in the order of its series.
    """
    if chart.kind == "bars":
        return wide(chart, table)
    if chart.kind == "points":
        return point_numbers(chart, table)
    keys = [key or "" for key in table[chart.x].to_pylist()]
    rows = dict(zip(keys, table[chart.value].to_pylist(), strict=True))
    names = [label for _, label, _ in chart.series]
    values = [float(rows.get(name) or 0.0) for name, _, _ in chart.series]
    return table_of(
        {"name": arrow_array(names, pa.utf8()), "value": arrow_array(values, pa.float64())}
    )


def _difference(table: pa.Table, column: str) -> NDArray[np.float64]:
    """Return a column, or for ``a-b`` the difference of two; missing values count as 0."""
    columns = [np.nan_to_num(floats_of(table[name])) for name in column.split("-")]
    return columns[0] if len(columns) == 1 else np.maximum(columns[0] - columns[1], 0.0)


def _pivot(chart: CardChart, table: pa.Table) -> tuple[pa.Array, list[NDArray[np.float64]]]:
    """Return the x value of each bar, in table order, and the lengths of each part."""
    column = table[chart.x]
    if chart.unnamed:
        column = filled(column.cast(pa.utf8()), chart.unnamed)
    encoded = column.combine_chunks().dictionary_encode()
    rows, names = joined(encoded.indices), encoded.dictionary
    by = filled(table[chart.by].cast(pa.utf8()), "")
    values = np.nan_to_num(floats_of(table[chart.value]))
    parts = []
    for value, _, _ in chart.series:
        part = np.zeros(len(names))
        own = joined(pc.equal(by, arrow_scalar(value)))
        np.add.at(part, rows[own], values[own])
        parts.append(part)
    return names, parts


def _with_length(
    names: pa.Array, parts: list[NDArray[np.float64]]
) -> tuple[pa.Array, list[NDArray[np.float64]]]:
    """Leave out bars without length, unless no bar has a length."""
    kept: NDArray[np.int64] = np.flatnonzero(np.sum(parts, axis=0) > 0)
    if not len(kept):
        return names, parts
    return names.take(arrow_array(kept)), [part[kept] for part in parts]


def _longest(
    names: pa.Array, parts: list[NDArray[np.float64]], most: int, wanted: Collection[Any] | None
) -> tuple[pa.Array, list[NDArray[np.float64]], int]:
    """Return the longest bars, those of the filter too, with the sum and number of all others."""
    order = np.argsort(-np.sum(parts, axis=0), kind="stable")
    kept, rest = order[:most], order[most:]
    if wanted is not None:
        values = names.to_pylist()
        inside = np.array([values[row] in wanted for row in rest], np.bool_)
        more = rest[inside][:most]
        kept, rest = np.concatenate([kept, more]), rest[~np.isin(rest, more)]
    found = names.take(arrow_array(kept)).to_pylist()
    sums = [part[kept] for part in parts]
    if len(rest):
        found = [*found, None]
        sums = [np.append(own, part[rest].sum()) for own, part in zip(sums, parts, strict=True)]
    return arrow_array(found, names.type), sums, len(rest)


def chart_of(
    chart: CardChart,
    table: pa.Table,
    *,
    width: int = 632,
    height: int = 240,
    least: float = 1.0,
    unit: str = "auto",
    whole: pa.Table | None = None,
    label: Callable[[str], str] = short_name,
) -> Chart:
    """Lay out a chart of a card.

    Parameters
    ----------
    chart : CardChart
        The chart to draw.
    table : pyarrow.Table
        The table that it shows.
    width, height : int, optional
        CSS pixels. The height applies to vertical bars; other charts determine their own.
    least : float, optional
        Minimum distance of vertical bars in pixels; below it, a bar represents several
        rows.
    unit : {"auto", "ns", "us", "ms", "s"}, optional
        Unit of times.
    whole : pyarrow.Table, optional
        The same table without the filter that a click on a bar sets; bars outside the filter are
        muted.
    label : callable, optional
        Returns what is written beside points.
    """
    if chart.kind == "bars":
        rows, muted = in_context(chart, table, whole)
        return stacked_bars(
            rows,
            x=chart.x,
            series={label: (label, token) for _, label, token in chart.series},
            stacked=chart.stacked,
            width=width,
            height=height,
            least=least,
            unit=unit,
            quantity=chart.quantity,
            muted=muted,
        )
    if chart.kind == "points":
        return draw_points(chart, table, whole, width=width, label=label)
    slices = _slices(chart, table)
    whole = sum(one.value for one in slices)
    time_unit = choose_time_unit([whole], unit)
    return labelled_donut(
        slices,
        hole=(format_number(whole / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=chart.title or None,
        width=width,
        height=donut_height(_WIDE if chart.low else width),
    )


def in_context(
    chart: CardChart, table: pa.Table, whole: pa.Table | None
) -> tuple[pa.Table, NDArray[np.bool_] | None]:
    """Return the bars of a filtered table together with those outside it.

    Parameters
    ----------
    chart : CardChart
        A chart of kind ``"bars"``.
    table : pyarrow.Table
        The table that it shows.
    whole : pyarrow.Table or None
        The same table without the filter that a click on a bar sets; None if nothing is filtered.

    Returns
    -------
    bars : pyarrow.Table
        As `wide` returns them.
    outside : ndarray of bool or None, shape (bars,)
        Which bars are outside the filter; None if nothing is filtered.
    """
    if whole is None:
        return wide(chart, table), None
    kept = set(table[chart.x].to_pylist())
    if chart.picks == "steps":  # a range of time may cut a bar
        rows = wide(chart, among(table, whole, chart.x)[0])
    else:
        rows = wide(chart, whole, kept)
    return rows, np.array([one not in kept for one in rows[chart.x].to_pylist()], np.bool_)


def _slices(chart: CardChart, table: pa.Table) -> list[Slice]:
    """Return the slices of a donut, largest first."""
    sizes = zip(chart.series, numbers(chart, table)["value"].to_pylist(), strict=True)
    slices = [Slice(label, label, value, token) for (_, label, token), value in sizes if value > 0]
    return sorted(slices, key=lambda one: -one.value)


def svg_of(
    chart: CardChart,
    table: pa.Table,
    colors: Palette,
    *,
    width: int = STATIC_WIDTH,
    unit: str = "auto",
    whole: pa.Table | None = None,
    label: Callable[[str], str] = short_name,
) -> Svg | None:
    """Draw a chart of a card as SVG; return None if none of its values exceeds 0.

    Parameters
    ----------
    chart : CardChart
        The chart. Donuts have no labels: show the table beside them.
    table : pyarrow.Table
        The table that it shows.
    colors : Palette
        Colours.
    width : int, optional
        CSS pixels, at least 500; donuts determine their own size.
    unit : {"auto", "ns", "us", "ms", "s"}, optional
        Unit of times.
    whole : pyarrow.Table, optional
        As for `chart_of`.
    label : callable, optional
        As for `chart_of`.
    """
    if chart.kind == "bars":
        rows = wide(chart, table)
        if not any(pc.sum(rows[label]).as_py() for _, label, _ in chart.series):
            return None
        drawn = chart_of(
            chart,
            table,
            width=width,
            height=STATIC_HEIGHT,
            least=STATIC_BAR,
            unit=unit,
            whole=whole,
        )
        return draw_svg(drawn, colors)
    if chart.kind == "points":
        return draw_svg(draw_points(chart, table, whole, width=width, label=label), colors)
    slices = _slices(chart, table)
    if not slices:
        return None
    values = [one.value for one in slices]
    whole = sum(values)
    total = format_time(whole, None if unit == "auto" else choose_time_unit([whole], unit))
    return draw_svg(ring(values, [one.color for one in slices], (total, chart.hole)), colors)
