"""`SummaryPart`: what a view contributes to the static summary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.charts.theme import Palette
    from nbprof.export.html.pieces import Html
    from nbprof.export.summary import Summary


class TextPlace(IntEnum):
    """Where a part stands in the summary as text."""

    FIRST = 0
    MIDDLE = 1
    LAST = 2


@dataclass(frozen=True)
class SummaryPart:
    """A part of the static summary.

    Parameters
    ----------
    title : str
        What it is called where there is no room for it.
    html : callable, optional
        ``html(summary, colors, unit)`` returns the part as HTML.
    text : callable, optional
        ``text(summary)`` returns it as lines; none where there is nothing to say.
    text_place : TextPlace, optional
        Parts of one place stand in the order of the views.
    """

    title: str
    html: Callable[[Summary, Palette, str], Html] | None = None
    text: Callable[[Summary], list[str]] | None = None
    text_place: TextPlace = TextPlace.MIDDLE
