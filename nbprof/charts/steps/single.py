"""Lays out the only step of a trace as a horizontal bar; labels give the shares of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nbprof.charts.chart import Chart, Items
from nbprof.charts.context import veil
from nbprof.charts.layout import side_by_side
from nbprof.charts.marks import BarMark, Part, PointerMark, Source, Tip
from nbprof.charts.text import text_width
from nbprof.model.units import format_number, format_pct

if TYPE_CHECKING:
    from nbprof.charts.steps.columns import Columns
    from nbprof.model.units import TimeUnit

_HEIGHT: Final = 84
_HEAD: Final = 8  # middle of the line above the bar, in pixels from the upper edge
_BAR: Final = (18.0, 42.0)  # upper and lower edge of the bar
_SHARE: Final = 59  # middle of the line of shares, and of the names below it
_NAME: Final = 73
_APART: Final = 10.0  # pixels between two labels
_LEAST_PCT: Final = (1, 2, 5, 10, 20, 100)  # smallest shares to label; the first that fits is used


class _Label(NamedTuple):
    """A label below a part: the middle of the part, None for several parts, and the text."""

    at: float | None
    share: str
    name: str

    @property
    def width(self) -> float:
        """Width in pixels."""
        return max(text_width(self.share, bold=True), text_width(self.name))


def single_bar(
    name: str, columns: Columns, unit: TimeUnit, width: int, *, title: str = ""
) -> Chart:
    """Lay out one bar over the whole width, without an axis: labels give the shares of its parts.

    Parameters
    ----------
    name : str
        Name of the figure and of its source, which has the same columns as for several bars.
    columns : Columns
        The one bar.
    unit : TimeUnit
        Unit of its lengths.
    width : int
        CSS pixels.
    title : str, optional
        Title of the bar; by default with the number of the step.
    """
    chart = Chart(name, width, _HEIGHT)
    total, number = float(columns.totals[0]), int(columns.numbers[0])
    parts = columns.parts or columns.series
    lengths = [float(columns.values[one.key][0]) for one in parts]
    ends = np.cumsum([0.0, *lengths]) * (width / total if total else 0.0)
    middle = _HEIGHT - sum(_BAR) / 2
    more = columns.more or {}
    title = title or f"Step {number}"
    source = Source(
        name,
        {
            "index": np.zeros(1, np.int32),
            "step": np.array([number], np.int32 if abs(number) < 2**31 else np.float64),
            "heading": [title],
            "total": columns.totals,
            "muted": columns.muted.astype(np.int32),
            "middle": [middle],
            **{one.key: columns.values[one.key] for one in parts},
            **{f"{one.key}_from": [x] for one, x in zip(parts, ends[:-1], strict=True)},
            **{f"{one.key}_to": [x] for one, x in zip(parts, ends[1:], strict=True)},
            **more,
        },
    )
    thick = _BAR[1] - _BAR[0]
    drawn = tuple(
        Part(one.key, one.token, "middle", thick, (f"{one.key}_from",), (f"{one.key}_to",))
        for one in parts
    )
    chart.marks.append(BarMark(source, drawn, lying=True))
    outside = [(0.0, float(width), 0.0, float(_HEIGHT))] if columns.muted.any() else []
    chart.marks.append(veil(outside))
    partly = ", recorded in part" if more.get("recorded") == ["in part"] else ""
    chart.write(0.0, _HEIGHT - _HEAD, f"{title}{partly}", "muted")
    whole = f"{format_number(total, unit.decimals)} {unit.label}"
    chart.write(float(width), _HEIGHT - _HEAD, whole, "foreground", align="right", bold=True)
    _write_parts(chart, [one.label for one in parts], lengths)
    chart.items = Items("rows", name, 0.0, _BAR[0], thick, float(width))
    tips = [Tip("Total", "total", unit), *(Tip(s.label, s.key, unit) for s in columns.series)]
    tips += [Tip(key.capitalize(), key) for key in more]
    chart.marks.append(
        PointerMark(
            source, "rows", "middle", thick, float(width), tuple(tips), "heading", lying=True
        )
    )
    return chart


def _write_parts(chart: Chart, names: list[str], lengths: list[float]) -> None:
    """Write names and shares below the parts, as far as there is room."""
    labels = _labels(names, lengths, chart.width)
    wanted = [chart.width if one.at is None else one.at * chart.width for one in labels]
    widths = [one.width for one in labels]
    places = side_by_side(wanted, widths, _APART, 0.0, float(chart.width))
    for label, place, at in zip(labels, places, wanted, strict=True):
        if label.at is not None:
            foot = min(max(at, 0.5), chart.width - 0.5), _HEIGHT - _BAR[1] - 1
            chart.leaders.add("line_strong", foot, (place, _HEIGHT - _SHARE + 7.0))
        chart.write(place, _HEIGHT - _SHARE, label.share, "foreground", align="center", bold=True)
        chart.write(place, _HEIGHT - _NAME, label.name, "muted", align="center")


def _labels(names: list[str], lengths: list[float], width: int) -> list[_Label]:
    """Return the labels, from left to right; the smallest parts share the last one."""
    total = sum(lengths)
    if not total:
        return []
    shares = [100 * length / total for length in lengths]
    ends = np.cumsum([0.0, *lengths]) / total
    found: list[_Label] = []
    for least in _LEAST_PCT:
        small = [share for share in shares if 0 < share < least]
        alone = len(small) == 1
        found = [
            _Label(float(low + high) / 2, f"{format_pct(share)} %", name)
            for name, share, low, high in zip(names, shares, ends[:-1], ends[1:], strict=True)
            if share >= least or (alone and share > 0)
        ]
        if small and not alone:
            found.append(_Label(None, f"{format_pct(sum(small))} %", f"{len(small)} others"))
        if sum(one.width + _APART for one in found) - _APART <= width:
            break
    return found
