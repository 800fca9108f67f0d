"""Charts of cards: extracts their values from tables, lays them out, and draws them as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.bars.stacked import stacked_bars
from nbprof.charts.donut.donut import donut_height, labelled_donut
from nbprof.charts.donut.ring import ring
from nbprof.charts.donut.slices import Slice
from nbprof.charts.svg.drawing import STATIC_BAR, STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.model.arrays import dtype_of, floats_of, joined
from nbprof.model.building import arrow_array, arrow_scalar, filled, table_of
from nbprof.model.units import choose_time_unit, format_number, format_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbprof.charts.cards.cards import CardChart
    from nbprof.charts.chart import Chart
    from nbprof.charts.svg.document import Svg
    from nbprof.charts.theme import Palette

_WIDE = 1000  # minimum height of a donut, pixels
_UNITS = {"time": "us", "share": "%", "count": ""}


def wide(chart: CardChart, table: pa.Table) -> pa.Table:
    """Return the values of a bar chart: a row per bar, a column per part.

    Parameters
    ----------
    chart : CardChart
        A chart of kind ``"bars"``.
    table : pyarrow.Table
        The table that it is of.

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
    else:
        names = table[chart.x].combine_chunks()
        parts = [_difference(table, column) for column, _, _ in chart.series]
    field = table.schema.field(chart.x).with_type(names.type)
    rest = len(names) - chart.most
    if chart.most and rest > 0:
        names, parts = _longest(names, parts, chart.most)
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
    """Return the values that a chart is drawn from: those of `wide`, or the sizes of slices.

    Parameters
    ----------
    chart : CardChart
        The chart.
    table : pyarrow.Table
        The table that it is of.

    Returns
    -------
    pyarrow.Table
        For bars, what `wide` returns; for a donut, columns name and value in the order of its
        series.
    """
    if chart.kind == "bars":
        return wide(chart, table)
    keys = [key or "" for key in table[chart.x].to_pylist()]
    rows = dict(zip(keys, table[chart.value].to_pylist(), strict=True))
    names = [label for _, label, _ in chart.series]
    values = [float(rows.get(name) or 0.0) for name, _, _ in chart.series]
    return table_of(
        {"name": arrow_array(names, pa.utf8()), "value": arrow_array(values, pa.float64())}
    )


def _difference(table: pa.Table, column: str) -> NDArray[np.float64]:
    """Return a column, or for ``a-b`` the difference of two; missing values count as 0."""
    found = [np.nan_to_num(floats_of(table[name])) for name in column.split("-")]
    return found[0] if len(found) == 1 else np.maximum(found[0] - found[1], 0.0)


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


def _longest(
    names: pa.Array, parts: list[NDArray[np.float64]], most: int
) -> tuple[pa.Array, list[NDArray[np.float64]]]:
    """Return the longest bars, and the sum of all others as a bar whose name is null."""
    order = np.argsort(-np.sum(parts, axis=0), kind="stable")
    kept, rest = order[:most], order[most:]
    found = [*names.take(arrow_array(kept)).to_pylist(), None]
    sums = [np.append(part[kept], part[rest].sum()) for part in parts]
    return arrow_array(found, names.type), sums


def chart_of(
    chart: CardChart,
    table: pa.Table,
    *,
    width: int = 632,
    height: int = 240,
    least: float = 1.0,
    unit: str = "auto",
) -> Chart:
    """Lay out a chart of a card.

    Parameters
    ----------
    chart : CardChart
        What is drawn.
    table : pyarrow.Table
        The table that it is of.
    width, height : int, optional
        CSS pixels. The height applies to vertical bars; other charts determine their own.
    least : float, optional
        Minimum distance of vertical bars in pixels; where it is less, a bar stands for several
        rows.
    unit : {"auto", "us", "ms", "s"}, optional
        Unit of times.
    """
    if chart.kind == "bars":
        return stacked_bars(
            wide(chart, table),
            x=chart.x,
            series={label: (label, token) for _, label, token in chart.series},
            stacked=chart.stacked,
            width=width,
            height=height,
            least=least,
            unit=unit,
            quantity=chart.quantity,
        )
    found = _slices(chart, table)
    whole = sum(one.value for one in found)
    time_unit = choose_time_unit([whole], unit)
    return labelled_donut(
        found,
        hole=(format_number(whole / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=chart.title or None,
        width=width,
        height=donut_height(_WIDE if chart.low else width),
    )


def _slices(chart: CardChart, table: pa.Table) -> list[Slice]:
    """Return the slices of a donut, largest first."""
    sizes = zip(chart.series, numbers(chart, table)["value"].to_pylist(), strict=True)
    found = [Slice(label, label, value, token) for (_, label, token), value in sizes if value > 0]
    return sorted(found, key=lambda one: -one.value)


def svg_of(
    chart: CardChart,
    table: pa.Table,
    colors: Palette,
    *,
    width: int = STATIC_WIDTH,
    unit: str = "auto",
) -> Svg | None:
    """Draw a chart of a card as SVG; return None if none of its values exceeds 0.

    Parameters
    ----------
    chart : CardChart
        The chart. Donuts have no labels: show the table beside them.
    table : pyarrow.Table
        The table that it is of.
    colors : Palette
        Colours.
    width : int, optional
        CSS pixels, at least 500; donuts determine their own size.
    unit : {"auto", "us", "ms", "s"}, optional
        Unit of times.
    """
    if chart.kind == "bars":
        rows = wide(chart, table)
        if not any(pc.sum(rows[label]).as_py() for _, label, _ in chart.series):
            return None
        drawn = chart_of(
            chart, table, width=width, height=STATIC_HEIGHT, least=STATIC_BAR, unit=unit
        )
        return draw_svg(drawn, colors)
    found = _slices(chart, table)
    if not found:
        return None
    values = [one.value for one in found]
    whole = sum(values)
    total = format_time(whole, None if unit == "auto" else choose_time_unit([whole], unit))
    return draw_svg(ring(values, [one.color for one in found], (total, chart.hole)), colors)
