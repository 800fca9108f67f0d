"""Lays out overlapping times by name as horizontal bars, each with its percentage of a whole.

The total time of a call counts in each of its parents too, so that such times have no
meaningful sum, and slices of a donut would be shares of that sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.bars.bars import Bars
from nbprof.charts.bars.row_plane import RowPlane
from nbprof.charts.bars.rows import draw_frame, row_pointer
from nbprof.charts.chart import Chart
from nbprof.charts.donut.slices import merge
from nbprof.charts.marks import BarMark, Part, Source, Tip
from nbprof.charts.text import fit_text
from nbprof.model.names.short_names import color_slots, short_name
from nbprof.model.units import choose_time_unit, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Bars where all are asked for: more would be far higher than the donuts beside them.
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
) -> Chart:
    """Lay out the largest times as bars, the longest on top, each with its share of a whole.

    Parameters
    ----------
    names : sequence of str
        Full names; values of equal ones are added up.
    values : sequence of float or None
        Microseconds; nulls and zeros have no bar.
    whole : float
        Microseconds that are 100 %. With 0 there are no shares.
    title : str
        What is shown and, after a comma, what the percentages are of: a line each.
    width : int, optional
        CSS pixels.
    slot_of : callable, optional
        Colour slot of a name, as for `nbprof.charts.donut.donut.donut`.
    top : int or None
        How many names have a bar; None for as many as can be read, `MOST_BARS`.
    unit : {"auto", "us", "ms", "s"}
        Unit of the axis.

    Returns
    -------
    Chart
        Its source ``"slices"`` has the columns name, label, value (µs), pct and color, as that of
        a donut: what is done with slices can be done with bars. Without any bar there is none.
    """
    ranked = merge(names, values)
    slot = slot_of or color_slots(name for name, _ in ranked)
    shown = ranked[: MOST_BARS if top is None else max(top, 1)]
    lengths = np.array([value for _, value in shown], np.float64)
    chosen = choose_time_unit(lengths, unit)
    labels = [short_name(name) for name, _ in shown]
    bars = Bars(labels, True, (), {"value": lengths / chosen.divisor}, chosen, True)  # noqa: FBT003
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
    }
    source = Source("slices", columns)
    part = Part("bars", "", "middle", _THICK, ("from",), ("to",))
    chart.marks.append(BarMark(source, (part,), lying=True, gap=False))
    tips = (Tip("Time", "value_text"), Tip("Share", "pct_text"))
    chart.marks.append(row_pointer(source, plane, tips))
    return chart
