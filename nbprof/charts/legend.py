"""What colours mean, in lines over a chart, for where parts cannot be named beside the bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.charts.text import fit_text, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.bars.series import Series

#: Pixels of a line.
LINE: Final = 16
#: Pixels of a swatch, and from its left side to its label.
SWATCH: Final = 9
LABEL: Final = 13
_GAP: Final = 14  # pixels between two entries


class Entry(NamedTuple):
    """One entry: its left side and its line, counted from the top; what it says."""

    x: float
    line: int
    text: str
    series: Series


def legend(series: Sequence[Series], width: float) -> list[Entry]:
    """Return the entries of a legend, in as many lines as they need.

    Parameters
    ----------
    series : sequence of Series
        What is named.
    width : float
        Pixels that a line may take.
    """
    found: list[Entry] = []
    x, line = 0.0, 0
    for one in series:
        text = fit_text(one.label, width - LABEL)
        room = LABEL + text_width(text)
        if x and x + room > width:
            x, line = 0.0, line + 1
        found.append(Entry(x, line, text, one))
        x += room + _GAP
    return found


def legend_height(entries: Sequence[Entry]) -> int:
    """Return the pixels that a legend takes."""
    return LINE * (entries[-1].line + 1) if entries else 0
