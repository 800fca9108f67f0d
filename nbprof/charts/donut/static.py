"""A donut as SVG. It has no labels: the table beside it is its legend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nbprof.charts.donut.slices import angles
from nbprof.charts.svg import Svg, short
from nbprof.charts.text import SMALL, TITLE, fit_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.theme import Palette

SIZE: Final = 148
_OUTER: Final = 72.0
_INNER: Final = 47.0
_GAP: Final = 1.2  # pixels between two slices
#: Slices that a donut has at most; what is over that must be joined before.
_WHOLE: Final = 2 * math.pi - 1e-3


def ring(
    values: Sequence[float],
    fills: Sequence[str],
    hole: tuple[str, str],
    colors: Palette,
    *,
    hatched: Sequence[bool] = (),
) -> Svg:
    """Draw shares of a whole clockwise from twelve.

    Parameters
    ----------
    values : sequence of float
        Sizes over 0, in their order; none gives an empty ring.
    fills : sequence of str
        As many colours.
    hole : (str, str)
        The two lines in the hole, the first in bold.
    colors : Palette
        Colours of the texts.
    hatched : sequence of bool, optional
        Which slices are hatched.
    """
    made = Svg(SIZE, SIZE, colors.background)
    middle = SIZE / 2
    if not values:
        made.path(_wedge(math.pi / 2, math.pi / 2 - _WHOLE), fill=colors.remainder, opacity=0.4)
    marks = [*hatched, *[False] * (len(values) - len(hatched))]
    for (start, end), fill, lines in zip(angles(values), fills, marks, strict=True):
        made.path(_wedge(start, end), fill=made.hatched(fill) if lines else fill)
    first, second = hole
    room = 2 * _INNER - 12
    size = fit_size(first, room, TITLE, bold=True)
    made.text(middle, middle - 6, first, colors.foreground, align="center", bold=True, size=size)
    size = fit_size(second, room - 6, SMALL)
    made.text(middle, middle + 10, second, colors.muted, align="center", size=size)
    return made


def _wedge(start: float, end: float) -> str:
    """Return a piece of the ring, counter-clockwise angles in radians, half a gap off each end."""
    span = start - end
    if span >= _WHOLE:
        start, end = math.pi / 2, math.pi / 2 - _WHOLE
    else:
        # A slice of a pixel or two must not vanish in its gaps.
        gap = min(_GAP / _OUTER, span / 3)
        start, end = start - gap / 2, end + gap / 2
    large = int(start - end > math.pi)
    arc = "A{r} {r} 0 {large} {sweep} {x} {y}"
    outer, inner = short(_OUTER), short(_INNER)
    (x0, y0), (x1, y1) = _point(start, _OUTER), _point(end, _OUTER)
    (x2, y2), (x3, y3) = _point(end, _INNER), _point(start, _INNER)
    return (
        f"M{x0} {y0}{arc.format(r=outer, large=large, sweep=1, x=x1, y=y1)}"
        f"L{x2} {y2}{arc.format(r=inner, large=large, sweep=0, x=x3, y=y3)}Z"
    )


def _point(angle: float, radius: float) -> tuple[str, str]:
    middle = SIZE / 2
    # Two decimals: at one, the ends of thin slices would not meet their arcs.
    return f"{middle + radius * math.cos(angle):.2f}", f"{middle - radius * math.sin(angle):.2f}"
