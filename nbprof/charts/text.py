"""How much room a text takes, estimated: Python places labels before any browser has drawn them.

The widths are those of Helvetica, widened so that the broader fonts that some systems use for
their interface (DejaVu Sans, Verdana) fit as well. A label is then never cut; in most fonts it
leaves a few pixels free.
"""

from __future__ import annotations

from typing import Final

from nbprof.model.names import middle_cut

#: Sizes of type in CSS pixels.
SMALL: Final = 11
BODY: Final = 12
TITLE: Final = 13

_WIDENING: Final = 1.14
_WIDENING_BOLD: Final = 1.27

# Advance widths in thousandths of the size, grouped by width.
_GROUPS: Final = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[]ft\\",
    333: "()-`r{}",
    355: '"',
    389: "*",
    500: "ckJsvxyz",
    556: "#$?_abdeghnopqu0123456789Lµ\u2013",
    584: "+<=>~^",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "mM",
    889: "%",
    944: "W",
    1000: "…",
    1015: "@",
}
_WIDTHS: Final = {character: width for width, group in _GROUPS.items() for character in group}
_WIDE: Final = 1000  # of other scripts: at most a full square
_NARROW_LIMIT: Final = 0x250  # Latin with marks is no wider than Latin


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
    units = sum(_WIDTHS.get(c) or (667 if ord(c) < _NARROW_LIMIT else _WIDE) for c in text)
    return units * size / 1000 * (_WIDENING_BOLD if bold else _WIDENING)


def fit_text(text: str, room: float, size: float = SMALL, most: int = 40) -> str:
    """Cut a text in its middle until it fits.

    Parameters
    ----------
    text : str
        One line.
    room : float
        Pixels there are.
    size : float, optional
        Font size in pixels.
    most : int, optional
        Most characters, whatever the room.
    """
    length = min(len(text), most)
    while length > 4 and text_width(middle_cut(text, length), size) > room:
        length -= 1
    return middle_cut(text, length)


def fit_size(text: str, room: float, size: float, *, bold: bool = False) -> float:
    """Return the font size, this one at most and 8 pixels at least, at which a text fits."""
    width = text_width(text, size, bold=bold)
    return size if width <= room else max(8.0, size * room / width)
