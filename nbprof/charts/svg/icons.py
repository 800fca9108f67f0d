"""Small SVG images for table cells: colour swatches and bars of shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.svg.document import Svg
from nbprof.charts.theme import HATCHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.theme import Palette

WIDTH: Final = 72
_HEIGHT: Final = 8
_STACK_WIDTH: Final = 540
_STACK_HEIGHT: Final = 16


def share_bar(part: float, token: str, colors: Palette) -> Svg:
    """Draw a part of a whole, 0 to 1, as a bar."""
    made = Svg(WIDTH, _HEIGHT)
    made.rect(0, 0, WIDTH, _HEIGHT, "rgba(128,128,128,0.18)")
    drawn = WIDTH * min(max(part, 0.0), 1.0)
    if drawn > 0:
        made.rect(0, 0, max(drawn, 0.6), _HEIGHT, colors.color(token))
    return made


def swatch(token: str, colors: Palette) -> Svg:
    """Draw a square with the colour of a row in the chart beside its table."""
    made = Svg(10, 10)
    made.rect(0, 0, 10, 10, _fill(made, token, colors))
    return made


def stacked_bar(parts: Sequence[tuple[str, float]], colors: Palette) -> Svg:
    """Draw parts of a whole side by side, a pixel apart.

    Parameters
    ----------
    parts : sequence of (str, float)
        Category, a key of `Palette.categories`, and share of the whole from 0 to 1.
    colors : Palette
        Colours.
    """
    made = Svg(_STACK_WIDTH, _STACK_HEIGHT, colors.background)
    at = 0.0
    for category, part in parts:
        room = _STACK_WIDTH * part
        if room > 0.3:
            fill = _fill(made, category, colors)
            made.rect(at, 0, room - 1 if room > 3 else room, _STACK_HEIGHT, fill)
        at += room
    return made


def _fill(made: Svg, token: str, colors: Palette) -> str:
    """Return the fill of a token, hatched if the token is drawn so."""
    color = colors.color(token)
    return made.hatched(color) if token == HATCHED else color
