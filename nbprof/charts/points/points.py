"""Lays out points on logarithmic axes, their areas by a third value, below the roofs of a device.

`js/src/offline/charts/points.ts` repeats this layout for pages without Python.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.charts.chart import Chart, Items
from nbprof.charts.marks import BubbleMark, LineMark, Source, Tip
from nbprof.charts.points.room import Room
from nbprof.charts.text import fit_text, text_width
from nbprof.model.names.short_names import short_name
from nbprof.model.units import format_number, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Floats = npt.NDArray[np.float64]

_TOP: Final = 26.0
_BOTTOM: Final = 40.0
_LEFT: Final = 56.0
_RIGHT: Final = 24.0
#: Area of the largest point, and the smallest radius, in pixels.
_LARGEST: Final = 16.0
_SMALLEST: Final = 2.5
_LEGEND_GAP: Final = 14.0
#: Number of points that are named, and of those that are tried.
_NAMED: Final = 6
_TRIED: Final = 60
#: Distance of places along a roof for its text, and distances from it, the best first, in pixels.
_STEP: Final = 24.0
_SIDES: Final = ((7.0, -8.0), (18.0, -19.0), (29.0, -30.0))


class Roof(NamedTuple):
    """A limit of a device: flat at its peak, and rising with the bandwidth before it.

    Parameters
    ----------
    label : str
        What the peak is of, such as ``"bf16"``.
    color : str
        Token of its colour.
    peak : float
        Largest value on the vertical axis, TFLOP/s.
    slope : float
        Values per unit of the horizontal axis before the ridge: TB/s. 0 for a flat roof.
    """

    label: str
    color: str
    peak: float
    slope: float


@dataclass(frozen=True)
class Points:
    """What is drawn; arrays have shape (points,), positive numbers only.

    Attributes
    ----------
    names : sequence of str
        Name of each point.
    x, y, size : ndarray of float64
        Position, and the value that the area shows (µs).
    colors : sequence of str
        Token of the colour of each point.
    muted : ndarray of bool
        Which points are outside the filter.
    label : callable
        Returns what is written beside a point.
    """

    names: Sequence[str]
    x: Floats
    y: Floats
    size: Floats
    colors: Sequence[str]
    muted: npt.NDArray[np.bool_]
    label: Callable[[str], str] = short_name


def point_chart(
    points: Points,
    roofs: Sequence[Roof],
    legend: Sequence[tuple[str, str]],
    *,
    width: int,
    height: int,
    axes: tuple[str, str] = ("", ""),
) -> Chart:
    """Lay out points below roofs.

    Parameters
    ----------
    points : Points
        The points.
    roofs : sequence of Roof
        The limits.
    legend : sequence of (str, str)
        Labels and colours of the points.
    width, height : int
        CSS pixels.
    axes : (str, str)
        Titles of the horizontal and the vertical axis.
    """
    chart = Chart("bars", width, height)
    plane = _Plane.of(points, roofs, width, height)
    _draw_axes(chart, plane, axes)
    if not len(points.x):
        chart.write(width / 2, height / 2, "Nothing to show", "muted", align="center")
        return chart
    # the largest first, so that small points are not covered
    order = np.argsort(-points.size, kind="stable")
    x = np.array([plane.x(one) for one in points.x[order].tolist()])
    y = np.array([plane.y(one) for one in points.y[order].tolist()])
    radius = _radii(points.size)[order]
    room = Room(x, y, radius, _LEFT, width - _RIGHT, _BOTTOM, height - _TOP)
    _draw_roofs(chart, plane, roofs, room)
    columns: dict[str, Any] = {
        "name": [points.names[at] for at in order],
        "heading": [points.names[at] for at in order],
        "x": x.tolist(),
        "y": y.tolist(),
        "down": (height - y).tolist(),
        "radius": radius.tolist(),
        "color": ["remainder" if points.muted[at] else points.colors[at] for at in order],
        "muted": points.muted[order].astype(np.int32),
        "intensity": [format_number(one, _decimals(one)) for one in points.x[order].tolist()],
        "rate": [format_number(one, _decimals(one)) for one in points.y[order].tolist()],
        "time": [format_time(one) for one in points.size[order].tolist()],
        "of": [_share(points, roofs, int(at)) for at in order],
    }
    source = Source("bars", columns)
    tips = (
        Tip("TFLOP/s", "rate"),
        Tip("FLOP/byte", "intensity"),
        Tip("Time", "time"),
        Tip("Of its roof", "of"),
    )
    chart.marks.append(BubbleMark(source, tips, "heading"))
    chart.items = Items("points", "bars", 0.0, 0.0, 0.0, 0.0)
    _draw_legend(chart, legend)
    _name_largest(chart, columns, room, points.label)
    return chart


def _share(points: Points, roofs: Sequence[Roof], at: int) -> str:
    """Return the share of the roof of a point's own colour, which is that of its type."""
    own = [roof for roof in roofs if roof.color == points.colors[at]]
    if not own:
        return "-"
    limit = min(own[0].peak, own[0].slope * points.x[at] if own[0].slope else own[0].peak)
    return f"{format_pct(100 * points.y[at] / limit)} %"


def _radii(size: Floats) -> Floats:
    most = size.max(initial=0.0)
    scale = _LARGEST / math.sqrt(most) if most > 0 else 0.0
    radii: Floats = np.maximum(np.sqrt(size) * scale, _SMALLEST)
    return radii


def _decimals(value: float) -> int:
    """Return decimals for three digits."""
    return max(0, min(6, 2 - math.floor(math.log10(value)))) if value > 0 else 0


@dataclass(frozen=True)
class _Plane:
    """Logarithmic axes between whole powers of ten, in pixels from the lower left corner."""

    low_x: int
    high_x: int
    low_y: int
    high_y: int
    width: float
    height: float

    @classmethod
    def of(cls, points: Points, roofs: Sequence[Roof], width: float, height: float) -> _Plane:
        ridges = [roof.peak / roof.slope for roof in roofs if roof.slope]
        xs = [*points.x.tolist(), *ridges] or [1.0, 100.0]
        ys = [*points.y.tolist(), *(roof.peak for roof in roofs)] or [1.0, 100.0]
        return cls(*_powers(xs), *_powers(ys), width, height)

    def x(self, value: float) -> float:
        span = self.width - _LEFT - _RIGHT
        return _LEFT + (math.log10(value) - self.low_x) / (self.high_x - self.low_x) * span

    def y(self, value: float) -> float:
        span = self.height - _BOTTOM - _TOP
        return _BOTTOM + (math.log10(value) - self.low_y) / (self.high_y - self.low_y) * span


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten around values."""
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values)) + 0.05), low + 1)


def _draw_axes(chart: Chart, plane: _Plane, axes: tuple[str, str]) -> None:
    grid = LineMark.named("grid")
    chart.marks.append(grid)
    left, right = _LEFT, plane.width - _RIGHT
    low, high = _BOTTOM, plane.height - _TOP
    for at, power in enumerate(range(plane.low_x, plane.high_x + 1)):
        x = plane.x(10.0**power)
        grid.add("grid" if at else "line_strong", (x, low), (x, high))
        if at % _every(plane.high_x - plane.low_x, right - left) == 0:
            chart.write(x, low - 11, _power(power), "muted", align="center")
    for at, power in enumerate(range(plane.low_y, plane.high_y + 1)):
        y = plane.y(10.0**power)
        grid.add("grid" if at else "line_strong", (left, y), (right, y))
        if at % _every(plane.high_y - plane.low_y, (high - low) * 2) == 0:
            chart.write(left - 6, y, _power(power), "muted", align="right")
    chart.write((left + right) / 2, 10, axes[0], "muted", align="center")
    chart.write(4, plane.height - 10, axes[1], "muted")


def _every(count: int, room: float) -> int:
    """Return n so that every nth power of ten has room for its text."""
    return max(1, math.ceil(count * 44 / max(room, 1)))


def _power(power: int) -> str:
    """Return a power of ten as text: plain where it is short."""
    if -4 <= power <= 4:
        return format_number(10.0**power, max(0, -power))
    return f"1e{power}"


def _draw_roofs(chart: Chart, plane: _Plane, roofs: Sequence[Roof], room: Room) -> None:
    """Draw the roofs, with their texts where there is room along them."""
    lines = LineMark.named("roofs")
    chart.marks.append(lines)
    right = plane.width - _RIGHT
    for roof in roofs:
        top = plane.y(roof.peak)
        points = [(right, top)]
        if roof.slope:
            points.insert(0, (plane.x(roof.peak / roof.slope), top))
            start = max(10.0**plane.low_x, 10.0**plane.low_y / roof.slope)
            if start < roof.peak / roof.slope:
                points.insert(0, (plane.x(start), plane.y(start * roof.slope)))
        else:
            points.insert(0, (_LEFT, top))
        lines.add(roof.color, *points)
    for roof in roofs:
        text = f"{roof.label} {format_number(roof.peak, _decimals(roof.peak))} TFLOP/s"
        wide = text_width(text)
        ridge = plane.x(roof.peak / roof.slope) if roof.slope else _LEFT
        top = plane.y(roof.peak)
        last = right - 2 - wide
        steps = max(0, math.floor((last - ridge) / _STEP)) + 1
        places = (
            (last - at * _STEP, top + side)
            for sides in _SIDES
            for at in range(steps)
            for side in sides
        )
        place = room.place(wide, places)
        if place is not None:
            chart.write(*place, text, "muted")


def _draw_legend(chart: Chart, legend: Sequence[tuple[str, str]]) -> None:
    x = chart.width - _RIGHT
    y = chart.height - 10.0
    columns: dict[str, Any] = {name: [] for name in ("x", "y", "radius", "color")}
    for label, color in reversed(legend):
        x -= text_width(label)
        chart.write(x, y, label, "muted")
        x -= 9
        for name, value in zip(columns, (x, y, 4.0, color), strict=True):
            columns[name].append(value)
        x -= _LEGEND_GAP
    chart.marks.append(BubbleMark(Source("legend", columns)))


def _name_largest(
    chart: Chart, columns: dict[str, Any], room: Room, label: Callable[[str], str]
) -> None:
    """Write the names of the largest points beside them, where there is room."""
    seen: set[str] = set()
    shown = zip(*(columns[key] for key in ("name", "x", "y", "radius", "muted")), strict=True)
    for name, x, y, radius, muted in islice(shown, _TRIED):
        if len(seen) >= _NAMED or muted or name in seen:
            continue
        text = fit_text(label(name), 150)
        wide = text_width(text)
        side, middle = radius + 4, x - wide / 2
        places = ((x + side, y), (x - side - wide, y), (middle, y + side + 5),
                  (middle, y - side - 5))  # fmt: skip
        place = room.place(wide, places)
        if place is not None:
            seen.add(name)
            chart.write(*place, text, "foreground")
