"""Lays out overlapping times by name as horizontal bars, each with its percentage of a whole.

The total time of a call also counts in each of its parents, so these times have no meaningful sum.
A donut would show shares of that sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.bars.bars import Bars
from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.bars.rows import draw_frame, row_items, row_pointer, row_veil
from nbprof.charts.chart import Chart
from nbprof.charts.context import shown_names
from nbprof.charts.donut.slices import merge
from nbprof.charts.marks import BarMark, Part, Source, Tip
from nbprof.charts.text import fit_text
from nbprof.model.names.short_names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

#: Maximum number of bars: more would make the chart far higher than the donuts beside it.
MOST_BARS: Final = 20

_LINE: Final = 15  # pixels of a line of the title
_ROW: Final = 14
_THICK: Final = 10


def nested_bars(
    names: Sequence[str],
    values: Sequence[float | None],
    *,
    whole: float,
    title: str,
    width: int = 476,
    slot_of: Callable[[str], int] | None = None,
    top: int | None = 7,
    unit: str = "auto",
    kept: Collection[str] | None = None,
) -> Chart:
    """Lay out the largest times as bars, the longest on top, each with its share of a whole.

    Parameters
    ----------
    names : sequence of str
        Full names; values of equal names are added up.
    values : sequence of float or None
        Microseconds; nulls and zeros have no bar.
    whole : float
        Microseconds that are 100 %; 0 for no percentages.
    title : str
        The quantity shown and, after a comma, the whole of the percentages; each takes a line.
    width : int, optional
        CSS pixels.
    slot_of : callable, optional
        Colour slot of a name, as for `nbprof.charts.donut.donut.donut`.
    top : int or None
        Number of names with a bar; None for `MOST_BARS`.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of the axis.
    kept : collection of str, optional
        The names that a filter by name keeps; all others are muted.

    Returns
    -------
    Chart
        Its source ``"slices"`` has the columns name, label, value (µs), pct and color, as in a
        donut, so that bars can be selected as slices are. Without bars there is no source.
    """
    ranked = merge(names, values)
    slot = slot_of or color_slots(name for name, _ in ranked)
    shown = shown_names(ranked, MOST_BARS if top is None else max(top, 1), kept)
    shown.sort(key=lambda one: -one[1])
    muted = np.array([kept is not None and name not in kept for name, _ in shown], np.bool_)
    lengths = np.array([value for _, value in shown], np.float64)
    chosen = choose_time_unit(lengths, unit)
    labels = [short_name(name) for name, _ in shown]
    values_of = {"value": lengths / chosen.divisor}
    bars = Bars(labels, True, (), values_of, chosen, True, muted=muted)  # noqa: FBT003
    pcts = [100 * value / whole if whole else None for _, value in shown]
    written = [f"{format_pct(pct)} %" for pct in pcts]
    lines = title.split(", ")
    if len(shown) < len(ranked):
        lines[0] += f": {len(shown)} of {len(ranked):,} names"
    head = _LINE * len(lines) + 2
    plane = RowPlane.of(bars, width, head=head, row=_ROW, totals=written)
    chart = Chart("bars", width, plane.height)
    for at, line in enumerate(lines):
        text = fit_text(line, width - 8, most=len(line))
        y = plane.height - _LINE * (at + 0.5)
        chart.write(width / 2, y, text, "muted", align="center")
    draw_frame(chart, bars, plane)
    columns: dict[str, Any] = {
        "name": [name for name, _ in shown],
        "label": labels,
        "heading": [name for name, _ in shown],
        "value": [value for _, value in shown],
        "pct": pcts,
        "color": [f"slot{slot(name)}" for name, _ in shown],
        "middle": [plane.y(index) for index in range(len(shown))],
        "from": [plane.left] * len(shown),
        "to": [plane.x(float(length)) for length in bars.tops],
        "value_text": [
            format_time(value, None if unit == "auto" else chosen) for _, value in shown
        ],
        "pct_text": written,
        "muted": muted.astype(np.int32),
    }
    source = Source("slices", columns)
    part = Part("bars", "", "middle", _THICK, ("from",), ("to",))
    chart.marks.append(BarMark(source, (part,), lying=True, gap=False))
    chart.marks.append(row_veil(muted, plane))
    chart.items = row_items(source, plane)
    tips = (Tip("Time", "value_text"), Tip("Share", "pct_text"))
    chart.marks.append(row_pointer(source, plane, tips))
    return chart
