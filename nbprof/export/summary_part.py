"""`SummaryPart`: a section that a view contributes to the static summary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.theme import Palette
    from nbprof.export.html.elements import Html
    from nbprof.export.summary_tables import Summary


class TextPlace(IntEnum):
    """Position of a section in the text summary."""

    FIRST = 0
    MIDDLE = 1
    LAST = 2


@dataclass(frozen=True)
class SummaryPart:
    """A section of the static summary.

    Parameters
    ----------
    title : str
        Name used in the note that it was left out.
    html : callable or str, optional
        ``html(summary, colors, unit)`` returns the section as HTML; a string is its place,
        ``"module:function"``.
    text : callable or str, optional
        ``text(summary)`` returns it as lines, possibly none; or its place.
    text_place : TextPlace, optional
        Sections with the same place are in the order of the views.
    """

    title: str
    html: Callable[[Summary, Palette, str], Html] | str | None = None
    text: Callable[[Summary], list[str]] | str | None = None
    text_place: TextPlace = TextPlace.MIDDLE
