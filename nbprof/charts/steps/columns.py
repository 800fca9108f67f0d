"""Draws vertical bars by step: axes, stacked or adjacent parts, totals, the mean, side labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.axes import draw_values
from nbprof.charts.chart import Chart, Items
from nbprof.charts.context import runs, veil
from nbprof.charts.layout import label_every
from nbprof.charts.marks import BarMark, LineMark, Part, PointerMark, Source, TextMark, Tip
from nbprof.charts.steps.side_labels import mean_text, side_labels
from nbprof.charts.text import text_width
from nbprof.model.units import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nbprof.charts.series import Series
    from nbprof.charts.steps.plane import Plane

_JOINED: Final = 2  # with fewer pixels from bar to bar, areas are drawn in their place
_GAP: Final = 4  # with at least this many pixels from bar to bar, there is a gap between them
_TOTALS: Final = 24  # with at most this many steps, each bar is labelled with its total
#: With more steps, a message and a page have no room for those that are not drawn.
MOST_STEPS: Final = 5000
_CLOSE: Final = 8  # distance in pixels within which the line of the mean would cross a total


@dataclass(frozen=True)
class Columns:
    """The data of bars by step, in the unit of the axis.

    Parameters
    ----------
    numbers : ndarray of int64, shape (steps,)
        Numbers of the steps; at least one.
    series : sequence of Series
        Parts of a bar that have any length, from the bottom up.
    values : dict of str to ndarray of float64, shape (steps,)
        Length of each part by the key of its series.
    totals : ndarray of float64, shape (steps,)
        Height of each bar.
    stacked : bool
        Whether parts are stacked rather than side by side.
    mean : float, optional
        Height of a dashed line.
    more : dict of str to list, optional
        Further columns of the source.
    parts : sequence of Series, optional
        All parts that stacked bars may have, so that a filter does not change the form of the
        chart; by default those of `series`.
    muted : ndarray of bool, shape (steps,)
        Which steps are outside the filter.
    """

    numbers: NDArray[np.int64]
    series: Sequence[Series]
    values: dict[str, NDArray[np.float64]]
    totals: NDArray[np.float64]
    stacked: bool = True
    mean: float | None = None
    more: dict[str, list[Any]] | None = None
    parts: Sequence[Series] = ()
    muted: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))


def _slowest(totals: NDArray[np.float64], merged: int) -> NDArray[np.int64]:
    """Return the slowest step of each group.

    Parameters
    ----------
    totals : ndarray of float64, shape (steps,)
        Times of the steps.
    merged : int
        Number of steps in a group; the last one may have fewer.

    Returns
    -------
    ndarray of int64, shape (groups,)
        Positions of steps.
    """
    starts = range(0, len(totals), merged)
    return np.array([at + int(totals[at : at + merged].argmax()) for at in starts], np.int64)


def thinned(columns: Columns, plane: Plane) -> tuple[Columns, Plane]:
    """Keep the slowest step of each group that shares a bar, if there are very many steps.

    Parameters
    ----------
    columns : Columns
        The data of all bars.
    plane : Plane
        Their positions.

    Returns
    -------
    Columns, Plane
        Those of the steps that are drawn, side by side; the given ones if all steps have room.
    """
    if plane.count <= MOST_STEPS or plane.merged == 1:
        return columns, plane
    rows = _slowest(columns.totals, plane.merged)
    more = {name: [values[row] for row in rows] for name, values in (columns.more or {}).items()}
    kept = replace(
        columns,
        numbers=columns.numbers[rows],
        values={key: values[rows] for key, values in columns.values.items()},
        totals=columns.totals[rows],
        more=more or None,
        muted=columns.muted[rows],
    )
    return kept, replace(plane, count=len(rows), least=0.0, each=plane.merged)


def column_axes(name: str, plane: Plane, *, over: float = 7.0) -> Chart:
    """Return a chart with the axes only.

    Parameters
    ----------
    name : str
        Name of the figure.
    plane : Plane
        Positions of the bars.
    over : float, optional
        Distance from the upper edge to the middle of the unit's line, in pixels.
    """
    chart = Chart(name, plane.width, plane.height, plane.x_range, plane.y_range)
    draw_values(chart, plane)
    above = plane.high + plane.y(plane.top - over)
    chart.write(plane.start - plane.x(plane.left), above, plane.unit.label, "muted")
    group = plane.merged * plane.each
    merged = f" (drawn: the slowest of every {group})" if group > 1 else ""
    below = -plane.y(plane.bottom - 8)
    chart.write(plane.middle, below, f"Step{merged}", "muted", align="center")
    return chart


def draw_columns(chart: Chart, columns: Columns, plane: Plane, *, named: bool) -> None:
    """Add the bars and their labels.

    Parameters
    ----------
    chart : Chart
        A chart from `column_axes`; its name becomes that of the source.
    columns : Columns
        The data of the bars.
    plane : Plane
        Positions of the bars.
    named : bool
        Whether to name the parts of the last bar beside it.
    """
    count = len(columns.numbers)
    source = Source(
        chart.name,
        {
            "index": np.arange(count, dtype=np.int32),
            "step": _integers(columns.numbers),
            "total": columns.totals,
            "muted": columns.muted.astype(np.int32),
            **columns.values,
            **(columns.more or {}),
        },
    )
    chart.marks.append(
        _stacked(source, columns, plane) if columns.stacked else _beside(source, columns, plane)
    )
    ends = ((first - 0.5, last + 0.5) for first, last in runs(columns.muted))
    chart.marks.append(veil((left, right, 0.0, plane.high) for left, right in ends))
    chart.items = Items("columns", chart.name, plane.left, plane.top, plane.slot, plane.tall)
    _write_steps(chart, columns.numbers, plane)
    taken = _write_totals(chart, columns, plane) if columns.stacked else []
    if columns.mean is not None:
        _draw_mean(chart, columns.mean, plane, taken)
        if plane.narrow:
            at = plane.high + plane.y(plane.top - 7)
            text = mean_text(columns.mean, plane)
            chart.write(plane.end, at, text, "foreground", align="right")
    if named:
        _write_sides(chart, columns, plane)
    chart.marks.append(_pointer(source, columns, plane))


def _stacked(source: Source, columns: Columns, plane: Plane) -> BarMark:
    """Return bars with stacked parts; if several steps share a bar, the slowest of them."""
    stack = columns.parts or columns.series
    keys = tuple(one.key for one in stack)
    joined = plane.pitch < _JOINED
    at, thick = "index", plane.bar
    if plane.merged > 1:
        rows = _slowest(columns.totals, plane.merged)
        drawn = {name: np.asarray(source.columns[name])[rows] for name in ("index", *keys)}
        if not joined:
            at, thick = "middle", float(plane.merged)
            starts = np.arange(len(rows)) * plane.merged
            drawn["middle"] = starts + (plane.merged - 1) / 2
        source = Source("drawn", drawn)
    parts = [
        Part(one.key, one.token, at, thick, keys[:below], keys[: below + 1])
        for below, one in enumerate(stack)
    ]
    return BarMark(source, tuple(parts), gap=plane.pitch >= _GAP, joined=joined)


def _beside(source: Source, columns: Columns, plane: Plane) -> BarMark:
    """Return bars with parts side by side."""
    count = len(columns.series)
    thick = plane.bar / count
    parts = []
    for at, one in enumerate(columns.series):
        middle = f"{one.key}_x"
        source.columns[middle] = source.columns["index"] + (at - (count - 1) / 2) * thick
        parts.append(Part(one.key, one.token, middle, thick, (), (one.key,)))
    return BarMark(source, tuple(parts), gap=plane.slot > 10 * count)


def _write_steps(chart: Chart, numbers: NDArray[np.int64], plane: Plane) -> None:
    """Write the numbers of the steps below the bars; if they are close together, every nth."""
    widest = max(text_width(str(n)) for n in (numbers.min(), numbers.max()))
    every = label_every(len(numbers), plane.slot, widest + 8)
    running = bool((np.diff(numbers) == 1).all())
    for index, number in enumerate(numbers.tolist()):
        if (number if running else index) % every == 0:
            chart.write(index, -plane.y(11), str(number), "muted", align="center")


def _write_totals(chart: Chart, columns: Columns, plane: Plane) -> list[tuple[float, float, float]]:
    """Write each bar's total above it, if there is room for all of them.

    Returns
    -------
    list of (float, float, float)
        Left end, right end and height of each total.
    """
    totals = columns.totals
    written = [format_number(float(value), plane.unit.decimals) for value in totals]
    widths = [text_width(text) for text in written]
    if len(totals) > _TOTALS or max(widths) + 4 > plane.slot:
        return []
    mark, taken = TextMark.named("totals", over=True), []
    rows = zip(totals.tolist(), written, widths, strict=True)
    for index, (total, text, width) in enumerate(rows):
        y, half = total + plane.y(9), plane.x(width / 2 + 2)
        ink = "muted" if columns.muted[index] else "foreground"
        mark.add(index, y, text, ink, align="center")
        taken.append((index - half, index + half, y))
    chart.marks.append(mark)
    return taken


def _draw_mean(
    chart: Chart, mean: float, plane: Plane, taken: Sequence[tuple[float, float, float]]
) -> None:
    """Add a dashed line across all bars, with gaps where it would cross a total."""
    line, at = LineMark.named("mean", dash=(3, 3)), plane.start
    for left, right, height in taken:
        if abs(height - mean) < plane.y(_CLOSE):
            if left > at:
                line.add("foreground", (at, mean), (left, mean))
            at = right
    line.add("foreground", (at, mean), (plane.end, mean))
    chart.marks.append(line)


def _write_sides(chart: Chart, columns: Columns, plane: Plane) -> None:
    """Name the parts of the last bar and the mean to the right of them, without overlaps."""
    last = [(one.label, float(columns.values[one.key][-1])) for one in columns.series]
    edge = plane.count - 1 + plane.bar / 2 + plane.x(2)
    for label in side_labels(last, columns.mean, plane):
        # The leader of the mean starts at the right edge of the plane, that of a part at its bar.
        start = plane.end if label.is_mean else edge
        end = plane.end + plane.x(4), plane.y(label.pixel)
        chart.leaders.add("line_strong", (start, label.at), end)
        color = "foreground" if label.is_mean else "muted"
        chart.write(plane.end + plane.x(7), plane.y(label.pixel), label.text, color)


def _pointer(source: Source, columns: Columns, plane: Plane) -> PointerMark:
    """Return the mark that makes steps respond to the pointer over the whole height."""
    width = 1.0 if plane.slot < 24 else min(plane.bar + 0.1, 1.0)
    tips = [Tip("Step", "step")]
    if columns.stacked:
        tips.append(Tip("Total", "total", plane.unit))
    # The tooltip lists the parts from top to bottom, as they are stacked.
    tips += [Tip(one.label, one.key, plane.unit) for one in reversed(columns.series)]
    tips += [Tip(name.capitalize(), name) for name in columns.more or {}]
    return PointerMark(source, "bars", "index", width, plane.high, tuple(tips), brushed=True)


def _integers(values: NDArray[np.int64]) -> NDArray[Any]:
    """Return integers as int32, which has typed arrays in browsers, or as floats if too large."""
    fits = not len(values) or np.abs(values).max() < 2**31
    return values.astype(np.int32 if fits else np.float64)
