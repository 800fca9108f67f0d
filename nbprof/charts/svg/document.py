"""`Svg`: builds an SVG document with few shapes, short numbers and escaped texts."""

from __future__ import annotations

import base64
from html import escape
from typing import Final

from nbprof.charts.text import SMALL
from nbprof.charts.theme import FONT

#: Distance of the base line of a text below its middle, as a fraction of its size. Not every
#: program that draws SVG knows the attribute for it.
_BASELINE: Final = 0.36

_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}


class Svg:
    """A drawing to which shapes are added; coordinates are CSS pixels from the upper left corner.

    Parameters
    ----------
    width, height : float
        Its size.
    background : str
        A colour, or ``"none"`` for a transparent background.
    """

    def __init__(self, width: float, height: float, background: str = "none") -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []
        self._patterns: dict[str, str] = {}
        if background != "none":
            self.rect(0, 0, width, height, background)

    def rect(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Draw a rectangle."""
        self._parts.append(
            f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" '
            f'height="{short(height)}" fill="{fill}"/>'
        )

    def path(
        self,
        d: str,
        *,
        fill: str = "none",
        opacity: float = 1.0,
        stroke: str = "",
        width: float = 1.0,
        dash: str = "",
    ) -> None:
        """Draw a path that is filled, stroked or both."""
        options = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        if stroke:
            options += f' stroke="{stroke}" stroke-width="{width:g}"'
        if dash:
            options += f' stroke-dasharray="{dash}"'
        self._parts.append(f'<path d="{d}" fill="{fill}"{options}/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        *,
        align: str = "left",
        bold: bool = False,
        size: float = SMALL,
    ) -> None:
        """Write a line of text, vertically centred at a height."""
        options = "" if align == "left" else f' text-anchor="{_ANCHORS[align]}"'
        if bold:
            options += ' font-weight="600"'
        if size != SMALL:
            options += f' font-size="{short(size)}"'
        words = escape(plain(text))
        at = f'x="{short(x)}" y="{short(y + _BASELINE * size)}"'
        self._parts.append(f'<text {at} fill="{color}"{options}>{words}</text>')

    def dot(self, x: float, y: float, radius: float, color: str, *, opacity: float = 1) -> None:
        """Draw a filled circle."""
        at = f'cx="{short(x)}" cy="{short(y)}" r="{short(radius)}"'
        options = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        self._parts.append(f'<circle {at} fill="{color}"{options}/>')

    def hatched(self, color: str) -> str:
        """Return a transparent fill with diagonal lines in a colour."""
        if color not in self._patterns:
            name = f"h{len(self._patterns)}"
            self._patterns[color] = (
                f'<pattern id="{name}" width="5" height="5" patternUnits="userSpaceOnUse" '
                f'patternTransform="rotate(45)"><path d="M1 0V5" stroke="{color}" '
                'stroke-width="2"/></pattern>'
            )
        return f"url(#h{list(self._patterns).index(color)})"

    def __str__(self) -> str:
        """Return the document."""
        size = f'width="{short(self.width)}" height="{short(self.height)}"'
        box = f'viewBox="0 0 {short(self.width)} {short(self.height)}"'
        patterns = f"<defs>{''.join(self._patterns.values())}</defs>" if self._patterns else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{escape(FONT)}" '
            f'font-size="{SMALL}">{patterns}{"".join(self._parts)}</svg>'
        )

    def uri(self) -> str:
        """Return the document as a data URL for an image element."""
        return f"data:image/svg+xml;base64,{base64.b64encode(str(self).encode()).decode()}"


def short(value: float) -> str:
    """Return a number of pixels as text with at most one decimal."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def plain(text: str) -> str:
    """Return a text without characters that XML forbids or that reverse the text direction."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
