"""Lays out the legend above a bar chart, for bars too narrow to carry labels beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.charts.marks import BoxMark, Source
from nbprof.charts.text import fit_text, text_width
from nbprof.charts.theme import HATCHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.chart import Chart
    from nbprof.charts.series import Series

_LINE: Final = 16  # pixels of a line
_SWATCH: Final = 9  # pixels of a swatch
_LABEL: Final = 13  # pixels from its left side to its label
_GAP: Final = 14  # pixels between two entries


class Entry(NamedTuple):
    """One entry: its left side, its line counted from the top, its text, and its series."""

    x: float
    line: int
    text: str
    series: Series


def legend(series: Sequence[Series], width: float) -> list[Entry]:
    """Place the entries of a legend, in as many lines as they need.

    Parameters
    ----------
    series : sequence of Series
        The parts to name.
    width : float
        Width available to a line, in pixels.
    """
    found: list[Entry] = []
    x, line = 0.0, 0
    for one in series:
        text = fit_text(one.label, width - _LABEL)
        room = _LABEL + text_width(text)
        if x and x + room > width:
            x, line = 0.0, line + 1
        found.append(Entry(x, line, text, one))
        x += room + _GAP
    return found


def legend_height(entries: Sequence[Entry]) -> int:
    """Return the height of a legend in pixels."""
    return _LINE * (entries[-1].line + 1) if entries else 0


def draw_legend(
    chart: Chart,
    entries: Sequence[Entry],
    at: tuple[float, float],
    pixel: tuple[float, float] = (1.0, 1.0),
) -> None:
    """Add the swatches and labels of a legend.

    Parameters
    ----------
    chart : Chart
        The chart to draw in.
    entries : sequence of Entry
        Entries placed by `legend`.
    at : (float, float)
        The upper left corner of the legend.
    pixel : (float, float), optional
        Width and height of a pixel in the coordinates of the chart.
    """
    (left, top), (per_x, per_y) = at, pixel
    columns = ("left", "right", "bottom", "top", "color")
    boxes = {
        hatched: Source("swatches", {name: [] for name in columns}) for hatched in (False, True)
    }
    for entry in entries:
        x, y = left + per_x * entry.x, top - per_y * _LINE * (entry.line + 0.5)
        half, token = per_y * _SWATCH / 2, entry.series.token
        row = (x, x + per_x * _SWATCH, y - half, y + half, token)
        for column, value in zip(boxes[token == HATCHED].columns.values(), row, strict=True):
            column.append(value)
        chart.write(x + per_x * _LABEL, y, entry.text, "muted")
    chart.marks += [BoxMark(source, hatched=hatched) for hatched, source in boxes.items()]
