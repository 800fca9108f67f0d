"""`draw_svg`: draws a chart as SVG with few elements, since saved notebooks contain it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts import marks
from nbprof.charts.context import MUTED
from nbprof.charts.svg.document import Svg, short
from nbprof.charts.theme import BUBBLE, HATCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from nbprof.charts.chart import Chart
    from nbprof.charts.theme import Palette

#: Size of charts with axes in static summaries. Bars that are thinner would make documents large.
STATIC_WIDTH: Final = 560
STATIC_HEIGHT: Final = 236
STATIC_BAR: Final = 3.0

#: Pixels between the parts of a bar and between slices, and minimum thickness of bars with gaps.
_GAP: Final = 1.0
_SLICE_GAP: Final = 1.2
_THICK: Final = 8.0
_WHOLE: Final = 2 * math.pi - 1e-3


def draw_svg(chart: Chart, colors: Palette) -> Svg:
    """Draw a chart as SVG, without the invisible marks for the pointer.

    Parameters
    ----------
    chart : Chart
        The chart to draw.
    colors : Palette
        Colours.
    """
    made = Svg(chart.width, chart.height, colors.background)
    place = _Place(chart)
    for mark in chart.drawn():
        draw = _DRAW.get(type(mark))
        if draw is not None:
            draw(made, mark, place, colors)
    return made


class _Place:
    """Converts the coordinates of a chart to pixels from its upper left corner."""

    def __init__(self, chart: Chart) -> None:
        self._left, right = chart.x
        low, self._high = chart.y
        self._per_x = chart.width / (right - self._left)
        self._per_y = chart.height / (self._high - low)

    def x(self, value: Any) -> Any:
        """Return pixels from the left edge."""
        return (value - self._left) * self._per_x

    def y(self, value: Any) -> Any:
        """Return pixels from the upper edge."""
        return (self._high - value) * self._per_y

    def wide(self, length: float) -> float:
        """Return the pixels of a horizontal distance."""
        return length * self._per_x

    def tall(self, length: float) -> float:
        """Return the pixels of a vertical distance."""
        return length * self._per_y


def _rows(source: marks.Source, *columns: str) -> Iterable[tuple[Any, ...]]:
    return zip(*(source.columns[name] for name in columns), strict=True)


def _texts(made: Svg, mark: marks.TextMark, place: _Place, colors: Palette) -> None:
    columns = ("x", "y", "text", "align", "style", "color", "size")
    for x, y, text, align, style, color, size in _rows(mark.source, *columns):
        if text:
            look = {"align": align, "bold": style == "bold", "size": size}
            made.text(place.x(x), place.y(y), text, colors.color(color), **look)


def _lines(made: Svg, mark: marks.LineMark, place: _Place, colors: Palette) -> None:
    """Draw one path for each colour."""
    paths: dict[str, str] = {}
    for xs, ys, color in _rows(mark.source, "xs", "ys", "color"):
        points = zip(xs, ys, strict=True)
        d = "L".join(f"{short(place.x(x))} {short(place.y(y))}" for x, y in points)
        paths[color] = f"{paths.get(color, '')}M{d}"
    for color, d in paths.items():
        made.path(d, stroke=colors.color(color), dash=" ".join(map(str, mark.dash)))


def _boxes(made: Svg, mark: marks.BoxMark, place: _Place, colors: Palette) -> None:
    columns = ("left", "right", "bottom", "top", "color")
    for left, right, bottom, top, token in _rows(mark.source, *columns):
        color = colors.color(token)
        d = _box(place.x(left), place.y(top), place.wide(right - left), place.tall(top - bottom))
        stroke = color if mark.tinted else ""
        opacity = 0.14 if mark.tinted else 1 - MUTED if mark.veiled else 1.0
        fill = made.hatched(color) if mark.hatched else color
        made.path(d, fill=fill, stroke=stroke, opacity=opacity)


def _bars(made: Svg, mark: marks.BarMark, place: _Place, colors: Palette) -> None:
    """Draw one path for each part, or for each bar if bars have colours of their own."""
    for part in mark.parts:
        thick = place.tall(part.thick) if mark.lying else place.wide(part.thick)
        gap = _GAP if mark.gap and thick >= _THICK else 0.0
        low, high = _sum(mark.source, part.low), _sum(mark.source, part.high)
        paths: dict[str, str] = {}
        tokens = mark.source.columns["color"] if not part.color else [part.color] * len(high)
        middles = mark.source.columns[part.at]
        for middle, start, end, token in zip(middles, low, high, tokens, strict=True):
            if mark.lying:
                length = place.wide(end - start)
                at = place.x(start), place.y(middle) - thick / 2
            else:
                length = place.tall(end - start)
                at = place.x(middle) - thick / 2, place.y(end)
            if length > 0.05:
                length -= gap if length > 3 else 0.0
                size = (length, thick) if mark.lying else (thick, length)
                paths[token] = paths.get(token, "") + _box(*at, *size)
        for token, d in paths.items():
            color = colors.color(token)
            made.path(d, fill=made.hatched(color) if token == HATCHED else color)


def _sum(source: marks.Source, columns: tuple[str, ...]) -> NDArray[np.float64]:
    """Return an edge of bars."""
    count = len(next(iter(source.columns.values())))
    return sum((np.asarray(source.columns[name]) for name in columns), start=np.zeros(count))


def _box(left: float, top: float, width: float, height: float) -> str:
    return f"M{short(left)} {short(top)}h{short(width)}v{short(height)}h{short(-width)}Z"


def _wedges(made: Svg, mark: marks.WedgeMark, place: _Place, colors: Palette) -> None:
    for start, end, token, ink in _rows(mark.source, "start", "end", "color", "ink"):
        color = colors.color(token)
        fill = made.hatched(color) if token == HATCHED else color
        made.path(_wedge(mark, place, start, end), fill=fill, opacity=ink)


def _wedge(mark: marks.WedgeMark, place: _Place, start: float, end: float) -> str:
    """Return the path of a slice, half a gap shorter at each end; angles are counter-clockwise."""
    span = start - end
    if span >= _WHOLE:
        start, end = math.pi / 2, math.pi / 2 - _WHOLE
    else:
        # A slice of a pixel or two must not vanish in its gaps.
        gap = min(_SLICE_GAP / mark.outer, span / 3)
        start, end = start - gap / 2, end + gap / 2
    large = int(start - end > math.pi)

    def at(radius: float, angle: float) -> str:
        x = place.x(mark.x + radius * math.cos(angle))
        # Two decimals: at one, the ends of thin slices would not meet their arcs.
        return f"{x:.2f} {place.y(mark.y + radius * math.sin(angle)):.2f}"

    outer, inner = short(mark.outer), short(mark.inner)
    return (
        f"M{at(mark.outer, start)}A{outer} {outer} 0 {large} 1 {at(mark.outer, end)}"
        f"L{at(mark.inner, end)}A{inner} {inner} 0 {large} 0 {at(mark.inner, start)}Z"
    )


def _steps(made: Svg, mark: marks.StepMark, place: _Place, colors: Palette) -> None:
    columns = mark.source.columns
    xs = [short(x) for x in place.x(np.asarray(columns["time"]))]
    last, low, high = (
        [short(y) for y in place.y(np.asarray(columns[name]))] for name in ("last", "low", "high")
    )
    line, ranges = f"M{xs[0]} {last[0]}", ""
    for x, y, before, bottom, top in zip(xs[1:], last[1:], last, low[1:], high[1:], strict=False):
        line += f"H{x}" + (f"V{y}" if y != before else "")
        # The range inside the column beyond its first and last value.
        if mark.ranges and not (bottom in (y, before) and top in (y, before)):
            ranges += f"M{x} {bottom}V{top}"
    color = colors.color(mark.color)
    if mark.filled:
        area = f"{line}V{short(place.y(0.0))}H{xs[0]}Z"
        made.path(area, fill=color, opacity=0.14)
    if ranges:
        made.path(ranges, stroke=color)
    made.path(line, stroke=color, width=mark.width, dash=" ".join(map(str, mark.dash)))


def _areas(made: Svg, mark: marks.AreaMark, place: _Place, colors: Palette) -> None:
    xs = [short(x) for x in place.x(np.asarray(mark.source.columns["time"]))]
    below = ""
    for column, token in mark.colors.items():
        lower, upper = (
            [short(y) for y in place.y(np.asarray(mark.source.columns[name]))]
            for name in (below, column)
        )
        there = "".join(f"H{x}V{y}" for x, y in zip(xs[1:], upper[1:], strict=True))
        back = zip(reversed(xs[:-1]), reversed(lower[:-1]), strict=True)
        d = f"M{xs[0]} {upper[0]}{there}V{lower[-1]}"
        made.path(d + "".join(f"V{y}H{x}" for x, y in back) + "Z", fill=colors.color(token))
        below = column


def _dots(made: Svg, mark: marks.DotMark, place: _Place, colors: Palette) -> None:
    """Draw filled dots: rings would need a background colour, which may be unknown."""
    for x, y in _rows(mark.source, "x", "y"):
        made.dot(place.x(x), place.y(y), (mark.size - 1) / 2, colors.color(mark.color))


def _bubbles(made: Svg, mark: marks.BubbleMark, place: _Place, colors: Palette) -> None:
    for x, y, radius, token in _rows(mark.source, "x", "y", "radius", "color"):
        made.dot(place.x(x), place.y(y), radius, colors.color(token), opacity=BUBBLE)


_DRAW: dict[type, Callable[[Svg, Any, _Place, Palette], None]] = {
    marks.TextMark: _texts,
    marks.LineMark: _lines,
    marks.BoxMark: _boxes,
    marks.BarMark: _bars,
    marks.WedgeMark: _wedges,
    marks.StepMark: _steps,
    marks.AreaMark: _areas,
    marks.DotMark: _dots,
    marks.BubbleMark: _bubbles,
}
