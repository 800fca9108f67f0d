"""One trace as a piece of HTML: for notebooks without a kernel, untrusted ones, and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.static_theme import static_palette
from nbprof.export.html.pieces import INHERITED, Html, join, note, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.export.parts import SummaryPart
    from nbprof.export.summary import Summary

#: Most bytes of a summary, whatever the trace.
MOST_BYTES: Final = 200_000
#: Kept for what is round the parts.
_ROOM: Final = 4_000

#: What follows where the summary stands in for the view.
_STANDS_IN: Final = "A summary, drawn without a kernel. Run the cell for the interactive view."


def summary_html(
    summary: Summary,
    parts: Sequence[SummaryPart],
    *,
    theme: str = "auto",
    unit: str = "auto",
    stands_in: bool = False,
    most_bytes: int = MOST_BYTES,
) -> str:
    """Return a summary as HTML with inline styles, images inside, and no scripts.

    Parameters
    ----------
    summary : Summary
        What to show.
    parts : sequence of SummaryPart
        In their order.
    theme : {"auto", "light", "dark"}
        ``"auto"`` takes the colours of text from the page, and draws in some that fit both.
    unit : {"auto", "us", "ms", "s"}
        Unit of times.
    stands_in : bool, optional
        Whether it stands in for the interactive view, which it then tells how to get.
    most_bytes : int, optional
        Parts that would make it larger are left out, the last first, and named at the end.
    """
    colors = static_palette(theme)
    first, *others = summary.head()
    pieces = [
        Html(f'<div style="font-size:15px;font-weight:600"><b>{text(first)}</b></div>'),
        *(note(line) for line in others),
        Html('<div style="height:14px"></div>'),
    ]
    size = sum(map(_bytes, pieces)) + _ROOM
    left_out = []
    for part in parts:
        piece = Html() if part.html is None else part.html(summary, colors, unit)
        if size + _bytes(piece) > most_bytes:
            left_out.append(part.title)
        else:
            pieces.append(piece)
            size += _bytes(piece)
    if left_out:
        pieces.append(note(f"Left out, as this would be too large: {', '.join(left_out)}."))
    if stands_in:
        pieces.append(note(_STANDS_IN))
    return framed(pieces, theme)


def words_html(words: str, theme: str = "auto") -> str:
    """Return a sentence in the place of a summary.

    Parameters
    ----------
    words : str
        Plain text.
    theme : {"auto", "light", "dark"}
        Colours.
    """
    return framed([Html(f'<div style="overflow-wrap:break-word">{text(words)}</div>')], theme)


def framed(pieces: list[Html], theme: str) -> str:
    """Return pieces in the element that gives them their type, and a background if need be."""
    style = "font-size:13px;line-height:1.45;max-width:1200px"
    inside: str = join(pieces)
    if theme != "auto":
        colors = static_palette(theme)
        style += f";background:{colors.background};color:{colors.foreground};padding:12px"
        inside = inside.replace(INHERITED, f';color:{colors.foreground}"')
    return f'<div style="{style}">{inside}</div>'


def _bytes(piece: str) -> int:
    return len(piece.encode())
