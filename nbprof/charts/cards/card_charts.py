"""The charts of cards, drawn: their numbers as one table, as a Bokeh figure and as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.charts.bars.series import token_color
from nbprof.charts.donut.slices import Slice
from nbprof.charts.theme import HATCHED, palette
from nbprof.model.units import choose_time_unit, format_number, format_time

if TYPE_CHECKING:
    from bokeh.plotting import figure
    from numpy.typing import NDArray

    from nbprof.charts.cards.cards import CardChart
    from nbprof.charts.svg import Svg
    from nbprof.charts.theme import Palette

_WIDE = 1000  # pixels of a donut that is as low as donuts get
_UNITS = {"time": "us", "share": "%", "count": ""}


def wide(chart: CardChart, table: pa.Table) -> pa.Table:
    """Return the numbers of a chart: a row a bar, a column a part.

    Parameters
    ----------
    chart : CardChart
        Of bars.
    table : pyarrow.Table
        The table that it is of.

    Returns
    -------
    pyarrow.Table
        The column `x` as in the table, then one per series, named by its label.
    """
    if chart.where:
        column, value = chart.where
        texts = pc.fill_null(table[column].cast(pa.utf8()), "")
        table = table.filter(pc.equal(texts, value))
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
    columns = [pa.array(part.astype(numeric.to_pandas_dtype())) for part in parts]
    return pa.table([names, *columns], schema=pa.schema(fields))


def numbers(chart: CardChart, table: pa.Table) -> pa.Table:
    """Return what a chart is drawn from: bars as `wide` has them, or slices with their sizes.

    Parameters
    ----------
    chart : CardChart
        The chart.
    table : pyarrow.Table
        The table that it is of.

    Returns
    -------
    pyarrow.Table
        Of a donut, the columns name and value in the order of its series.
    """
    if chart.kind == "bars":
        return wide(chart, table)
    keys = [key or "" for key in table[chart.x].to_pylist()]
    rows = dict(zip(keys, table[chart.value].to_pylist(), strict=True))
    names = [label for _, label, _ in chart.series]
    values = [float(rows.get(name) or 0.0) for name, _, _ in chart.series]
    return pa.table({"name": pa.array(names, pa.utf8()), "value": pa.array(values, pa.float64())})


def _difference(table: pa.Table, column: str) -> NDArray[np.float64]:
    """Return a column, or ``a-b`` the first less the second; missing values are 0."""
    found = [np.nan_to_num(_floats(table[name])) for name in column.split("-")]
    return found[0] if len(found) == 1 else np.maximum(found[0] - found[1], 0.0)


def _floats(column: Any) -> NDArray[np.float64]:
    return np.asarray(column.cast(pa.float64()), np.float64)


def _pivot(chart: CardChart, table: pa.Table) -> tuple[pa.Array, list[NDArray[np.float64]]]:
    """Return what bars are of, in the order of the table, and the length of each part."""
    encoded = table[chart.x].combine_chunks().dictionary_encode()
    rows, names = np.asarray(encoded.indices), encoded.dictionary
    values = np.nan_to_num(_floats(table[chart.value]))
    parts = []
    for value, _, _ in chart.series:
        part = np.zeros(len(names))
        own = np.asarray(pc.fill_null(pc.equal(table[chart.by], value), fill_value=False))
        np.add.at(part, rows[own], values[own])
        parts.append(part)
    return names, parts


def _longest(
    names: pa.Array, parts: list[NDArray[np.float64]], most: int
) -> tuple[pa.Array, list[NDArray[np.float64]]]:
    """Return the longest bars, and all others added up as one, which is called null."""
    order = np.argsort(-np.sum(parts, axis=0), kind="stable")
    kept, rest = order[:most], order[most:]
    found = [*names.take(pa.array(kept)).to_pylist(), None]
    sums = [np.append(part[kept], part[rest].sum()) for part in parts]
    return pa.array(found, names.type), sums


def slices(chart: CardChart, table: pa.Table, colors: Palette) -> list[Slice]:
    """Return the slices of a donut, largest first."""
    read = numbers(chart, table)
    sizes = zip(chart.series, read["value"].to_pylist(), strict=True)
    found = [
        Slice(label, label, value, token_color(token, colors))
        for (_, label, token), value in sizes
        if value > 0
    ]
    return sorted(found, key=lambda one: -one.value)


def figure_of(
    chart: CardChart,
    table: pa.Table,
    *,
    theme: str = "light",
    width: int = 632,
    unit: str = "auto",
) -> figure:
    """Draw a chart of a card.

    Parameters
    ----------
    chart : CardChart
        What is drawn.
    table : pyarrow.Table
        The table that it is of.
    theme : {"light", "dark"}, optional
        Colours.
    width : int, optional
        CSS pixels.
    unit : {"auto", "us", "ms", "s"}, optional
        Unit of times.
    """
    from nbprof.charts.bars.stacked import stacked_bars
    from nbprof.charts.donut.donut import donut_height, draw_donut

    if chart.kind == "bars":
        return stacked_bars(
            wide(chart, table),
            x=chart.x,
            series={label: (label, token) for _, label, token in chart.series},
            stacked=chart.stacked,
            theme=theme,
            width=width,
            unit=unit,
            quantity=chart.quantity,
        )
    colors = palette(theme)
    found = slices(chart, table, colors)
    whole = sum(one.value for one in found)
    time_unit = choose_time_unit([whole], unit)
    return draw_donut(
        found,
        hole=(format_number(whole / time_unit.divisor, time_unit.decimals), time_unit.label),
        write=lambda value: format_time(value, None if unit == "auto" else time_unit),
        title=chart.title or None,
        colors=colors,
        width=width,
        height=donut_height(_WIDE if chart.low else width),
    )


def svg_of(
    chart: CardChart, table: pa.Table, colors: Palette, *, width: int = 560, unit: str = "auto"
) -> Svg | None:
    """Draw a chart of a card as SVG; None where nothing in it is longer than 0.

    Parameters
    ----------
    chart : CardChart
        What is drawn. A donut has no labels: its table has to stand beside it.
    table : pyarrow.Table
        The table that it is of.
    colors : Palette
        Colours.
    width : int, optional
        CSS pixels, 500 at least; donuts have a size of their own.
    unit : {"auto", "us", "ms", "s"}, optional
        Unit of times.
    """
    from nbprof.charts.bars.static_stacked import static_stacked
    from nbprof.charts.donut.static import ring

    if chart.kind == "bars":
        rows = wide(chart, table)
        if not any(pc.sum(rows[label]).as_py() for _, label, _ in chart.series):
            return None
        return static_stacked(
            rows,
            colors,
            x=chart.x,
            series={label: (label, token) for _, label, token in chart.series},
            stacked=chart.stacked,
            width=width,
            unit=unit,
            quantity=chart.quantity,
        )
    found = slices(chart, table, colors)
    if not found:
        return None
    whole = sum(one.value for one in found)
    hatched = {label for _, label, token in chart.series if token == HATCHED}
    return ring(
        [one.value for one in found],
        [one.color for one in found],
        (
            format_time(whole, None if unit == "auto" else choose_time_unit([whole], unit)),
            chart.hole,
        ),
        colors,
        hatched=[one.label in hatched for one in found],
    )
