"""Estimates the width of texts, since Python places labels before a browser draws them.

The width of a character is the larger of those in Helvetica and DejaVu Sans, the widest of the
common interface fonts. Labels are therefore never cut; in most fonts they leave some pixels free.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from nbprof.model.names.short_names import middle_cut

#: Font sizes in CSS pixels.
SMALL: Final = 11
TITLE: Final = 13

_BOLD: Final = 1.2  # maximum width of bold digits and signs, relative to regular ones

# Advance widths in thousandths of the size, rounded up and grouped by width.
_GROUPS: Final = {
    280: "'ijl",
    320: "I ,.",
    340: "/:;\\|",
    360: "f",
    380: "-",
    400: "()[]t",
    420: "!r",
    460: '"',
    500: "*J`",
    540: "sz",
    560: "?L_c\u2013",
    580: "k",
    600: "vxy",
    620: "FTaeo",
    640: "$0123456789bdghnpqu{}µ",
    680: "EKPSY",
    700: "ABVXZ",
    740: "CRU",
    780: "&DGHN",
    820: "OQw",
    840: "#+<=>^~",
    880: "M",
    960: "%",
    980: "m",
}
_WIDTHS: Final = {character: width for width, group in _GROUPS.items() for character in group}
_WIDE: Final = 1020  # W, @, … and every character not listed: as wide as the font size


def text_width(text: str, size: float = SMALL, *, bold: bool = False) -> float:
    """Return an upper estimate of a text's width in pixels.

    Parameters
    ----------
    text : str
        One line.
    size : float, optional
        Font size in pixels.
    bold : bool, optional
        Whether it is drawn bold.
    """
    return _units(text) * size / 1000 * (_BOLD if bold else 1.0)


@lru_cache(maxsize=8192)  # ticks and names come again with every filter
def _units(text: str) -> int:
    return sum(_WIDTHS.get(character, _WIDE) for character in text)


def fit_text(text: str, room: float, size: float = SMALL, most: int = 40) -> str:
    """Shorten a text in the middle until it fits.

    Parameters
    ----------
    text : str
        One line.
    room : float
        Available width in pixels.
    size : float, optional
        Font size in pixels.
    most : int, optional
        Maximum number of characters, whatever the width.
    """
    length = min(len(text), most)
    while length > 4 and text_width(middle_cut(text, length), size) > room:
        length -= 1
    return middle_cut(text, length)


def fit_size(text: str, room: float, size: float, *, bold: bool = False) -> float:
    """Return the largest font size, from `size` down to 8 pixels, at which a text fits."""
    width = text_width(text, size, bold=bold)
    return size if width <= room else max(8.0, size * room / width)
