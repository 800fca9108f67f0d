"""Lays out a waterfall: the changes that lead from one total to another, one row for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from nbprof.charts.chart import Chart, Items
from nbprof.charts.layout import round_ticks, tick_text
from nbprof.charts.marks import BoxMark, LineMark, PointerMark, Source, Tip
from nbprof.charts.text import fit_text, text_width
from nbprof.model.units import choose_time_unit, format_difference, format_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

_ROW: Final = 24
_BAR: Final = 12
_TOP: Final = 4
_BOTTOM: Final = 22
#: Share of the width that names may take.
_NAMES: Final = 0.36
#: The scale starts above 0 where the changes would fill less than this part of it.
_LEAST_PART: Final = 0.4
_MARGIN: Final = 0.15

#: Colours of the bars: by kind, and changes by their direction.
_KINDS: Final = {"baseline": "allocated", "candidate": "allocated", "rest": "remainder"}
_CHANGES: Final = {"up": "memcpy", "added": "memcpy", "down": "kernel", "removed": "kernel"}
_TITLES: Final = {"baseline": "Baseline", "candidate": "Candidate", "rest": "All other changes"}


def waterfall(table: pa.Table, *, width: int = 632, unit: str = "auto") -> Chart:
    """Lay out a waterfall.

    Parameters
    ----------
    table : pyarrow.Table
        The table ``waterfall`` of a difference.
    width : int
        Width in CSS pixels.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    """
    rows: list[dict[str, Any]] = table.to_pylist()
    ends = [row["to_us"] for row in rows if _is_total(row)]
    time_unit = choose_time_unit(ends, unit)
    names = [fit_text(row_name(row), _NAMES * width - 16) for row in rows]
    texts = [_amount(row, time_unit.divisor, time_unit.decimals) for row in rows]
    left = max([44.0, *map(text_width, names)]) + 10
    beside = max([24.0, *map(text_width, texts)]) + 10
    right = max(width - beside, left + 40)
    low, high = scale(rows)
    height = _TOP + _ROW * max(len(rows), 1) + _BOTTOM
    chart = Chart("waterfall", width, height)

    def x(value: float) -> float:
        part = (value - low) / ((high - low) or 1.0)
        return left + min(max(part, 0.0), 1.0) * (right - left)

    def y(index: float) -> float:
        return height - _TOP - (index + 0.5) * _ROW

    grid = LineMark.named("grid")
    chart.marks.append(grid)
    ticks, steps = _ticks(low / time_unit.divisor, high / time_unit.divisor)
    for tick in ticks:
        at = x(tick * time_unit.divisor)
        grid.add("grid", (at, _BOTTOM), (at, height - _TOP))
        chart.write(at, _BOTTOM - 10, tick_text(tick, steps), "muted", align="center")
    chart.write(left - 14, _BOTTOM - 10, time_unit.label, "muted", align="right")
    boxes: dict[str, list[Any]] = {
        key: [] for key in ("left", "right", "bottom", "top", "color", "middle", "name", "delta")
    }
    joints = LineMark.named("joints")
    for index, row in enumerate(rows):
        start = low if _is_total(row) else row["from_us"]
        begin, end = sorted((x(start), x(row["to_us"])))
        middle = y(index)
        boxes["left"].append(begin)
        boxes["right"].append(max(end, begin + 1))
        boxes["bottom"].append(middle - _BAR / 2)
        boxes["top"].append(middle + _BAR / 2)
        boxes["color"].append(_color(row))
        boxes["middle"].append(middle)
        boxes["name"].append(row_name(row))
        boxes["delta"].append(texts[index])
        if index + 1 < len(rows):
            at = x(row["to_us"])
            joints.add("line_strong", (at, middle - _BAR / 2), (at, y(index + 1) + _BAR / 2))
        ink = "muted" if row["change"] == "same" else "foreground"
        bold = _is_total(row)
        chart.write(left - 8, middle, names[index], ink, align="right", bold=bold)
        chart.write(right + 6, middle, texts[index], ink, bold=bold)
    source = Source("waterfall", boxes)
    chart.marks += [joints, BoxMark(source)]
    tips = (Tip("Time", "delta"),)
    chart.marks.append(
        PointerMark(source, "rows", "middle", _ROW, width, tips, heading="name", lying=True)
    )
    chart.items = Items("rows", source.name, 0.0, _TOP, _ROW, width)
    return chart


def row_name(row: Mapping[str, Any]) -> str:
    """Return the name of a row of the table ``waterfall`` as shown."""
    title = _TITLES.get(row["kind"])
    if title is not None:
        return title
    return str(row["name"] or f"{row['category'] or 'Other'} time")


def scale(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return where the axis starts and ends: closer to the changes where they are small."""
    ends = [
        value
        for row in rows
        for value in ((row["to_us"],) if _is_total(row) else (row["from_us"], row["to_us"]))
    ]
    if not ends:
        return 0.0, 1.0
    low, high = min(ends), max(ends)
    span = high - low
    if span <= 0 or span >= _LEAST_PART * high:
        return min(0.0, low), high or 1.0
    return max(0.0, low - _MARGIN * span), high


def _ticks(low: float, high: float) -> tuple[list[float], tuple[float, ...]]:
    """Return round values inside of the axis, and those from 0 with the same distance."""
    steps = tuple(round_ticks(high - min(low, high)))
    pitch = steps[1] - steps[0]
    first = math.ceil(low / pitch - 1e-9)
    inside = [(first + number) * pitch for number in range(len(steps) + 1)]
    return [tick for tick in inside if tick <= high * (1 + 1e-9)], steps


def _is_total(row: Mapping[str, Any]) -> bool:
    return row["kind"] in ("baseline", "candidate")


def _color(row: Mapping[str, Any]) -> str:
    return _KINDS.get(row["kind"]) or _CHANGES.get(row["change"] or "", "line_strong")


def _amount(row: Mapping[str, Any], divisor: float, decimals: int) -> str:
    if _is_total(row):
        return format_number(row["to_us"] / divisor, decimals)
    value = (row["delta_us"] or 0.0) / divisor
    text = format_difference(value, decimals)
    percent = row["delta_pct"]
    if row["kind"] != "change" or percent is None:
        return text
    return f"{text} ({format_difference(percent, 1)} %)"
