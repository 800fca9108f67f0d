"""The HTML summary of a trace, for notebooks without a kernel or trust, and for exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.svg.theme import static_palette
from nbprof.export.html.elements import INHERITED, Html, join, note, text
from nbprof.registry import resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.theme import Palette
    from nbprof.export.summary_part import SummaryPart
    from nbprof.export.summary_tables import Summary

#: Maximum bytes of a summary.
MOST_BYTES: Final = 210_000
#: Bytes reserved for the markup around the sections.
_ROOM: Final = 4_000

#: Note below a summary that replaces the view.
_REPLACES_VIEW: Final = "This is a static summary. Run the cell for the interactive view."


def summary_html(
    summary: Summary,
    parts: Sequence[SummaryPart],
    *,
    theme: str = "auto",
    unit: str = "auto",
    replaces_view: bool = False,
    most_bytes: int = MOST_BYTES,
) -> str:
    """Return a summary as HTML with inline styles, images inside, and no scripts.

    Parameters
    ----------
    summary : Summary
        The tables to show.
    parts : sequence of SummaryPart
        Sections in order.
    theme : {"auto", "light", "dark"}
        ``"auto"`` uses the page's text colour, and colours for drawings that suit both themes.
    unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    replaces_view : bool, optional
        Whether it replaces the interactive view; it then says how to get it.
    most_bytes : int, optional
        Maximum size. If the sections exceed it, they are drawn smaller, the largest first; those
        that still do are left out, the last first, and named at the end.
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
    drawn = _drawn(summary, parts, colors, unit, most_bytes - size)
    for part, piece in zip(parts, drawn, strict=True):
        if size + _bytes(piece) > most_bytes:
            left_out.append(part.title)
        else:
            pieces.append(piece)
            size += _bytes(piece)
    if left_out:
        pieces.append(note(f"Left out to limit the size: {', '.join(left_out)}."))
    if replaces_view:
        pieces.append(note(_REPLACES_VIEW))
    return _framed(pieces, theme)


def _drawn(
    summary: Summary, parts: Sequence[SummaryPart], colors: Palette, unit: str, room: int
) -> list[Html]:
    """Return the sections; if they exceed the room, the largest ones in their smaller form."""

    def draw(part: SummaryPart) -> Html:
        piece: Html = Html() if part.html is None else resolved(part.html)(summary, colors, unit)
        return piece

    drawn = [draw(part) for part in parts]
    sizes = [_bytes(piece) for piece in drawn]
    summary.compact = True
    for at in sorted(range(len(parts)), key=lambda at: -sizes[at]):
        if sum(sizes) <= room:
            break
        smaller = draw(parts[at])
        if _bytes(smaller) < sizes[at]:
            drawn[at], sizes[at] = smaller, _bytes(smaller)
    summary.compact = False
    return drawn


def message_html(words: str, theme: str = "auto", below: Html = Html()) -> str:  # noqa: B008 - a constant
    """Return a sentence shown instead of a summary.

    Parameters
    ----------
    words : str
        Plain text.
    theme : {"auto", "light", "dark"}
        Colour theme.
    below : Html, optional
        HTML below it.
    """
    sentence = Html(f'<div style="overflow-wrap:break-word">{text(words)}</div>')
    return _framed([sentence, below], theme)


def _framed(pieces: list[Html], theme: str) -> str:
    """Return pieces inside the element that sets the font and, if needed, a background."""
    style = "font-size:13px;line-height:1.45;max-width:1200px"
    inside: str = join(pieces)
    if theme != "auto":
        colors = static_palette(theme)
        style += f";background:{colors.background};color:{colors.foreground};padding:12px"
        inside = inside.replace(INHERITED, f';color:{colors.foreground}"')
    return f'<div style="{style}">{inside}</div>'


def _bytes(piece: str) -> int:
    return len(piece.encode())
