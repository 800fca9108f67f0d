"""How much room a text takes, estimated: Python places labels before any browser has drawn them.

For each character the width is that of the broader of Helvetica and DejaVu Sans, the broadest of
the fonts that systems use for their interface. A label is then never cut; in most fonts it leaves
some pixels free.
"""

from __future__ import annotations

from typing import Final

from nbprof.model.names.names import middle_cut

#: Sizes of type in CSS pixels.
SMALL: Final = 11
TITLE: Final = 13

_BOLD: Final = 1.2  # how much wider bold digits and signs are, at most

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
_WIDE: Final = 1020  # W, @, … and all that is not here: a full square


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
    units = sum(_WIDTHS.get(character, _WIDE) for character in text)
    return units * size / 1000 * (_BOLD if bold else 1.0)


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
