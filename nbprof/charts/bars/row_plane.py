"""`RowPlane`: pixel coordinates of a horizontal bar chart: its rows, ticks and legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nbprof.charts.bars.legend import Entry, legend, legend_height
from nbprof.charts.layout import label_every, round_ticks, tick_text
from nbprof.charts.text import fit_text, text_width
from nbprof.model.units import format_number

if TYPE_CHECKING:
    from nbprof.charts.bars.bars import Bars

_ROW: Final = 24  # pixels of a row; in one of bars side by side, of each of them half
_MANY: Final = 24  # more rows than this are closer together
_CLOSE: Final = 16
_TOP: Final = 6  # pixels between legend and rows
_BOTTOM: Final = 22  # pixels under the rows, for the ticks
_NAMES: Final = 0.36  # share of the width that names may take


@dataclass(frozen=True)
class RowPlane:
    """Positions of rows, ticks and legend, in pixels from the lower left corner.

    Parameters
    ----------
    width, height : int
        The whole chart.
    left, right : float
        Where lengths begin, and where the longest one may end.
    top, row : float
        Pixels over the first row, and the height of one.
    high : float
        Length at `right`, in the unit of the axis.
    ticks : tuple of float
        Values of the grid lines.
    names, totals : list of str
        What is written before and behind each row.
    entries : list of Entry
        The legend.
    """

    width: int
    height: int
    left: float
    right: float
    top: float
    row: float
    high: float
    ticks: tuple[float, ...]
    names: list[str]
    totals: list[str]
    entries: list[Entry]

    @classmethod
    def of(
        cls,
        bars: Bars,
        width: int,
        *,
        head: float | None = None,
        row: float | None = None,
        totals: list[str] | None = None,
    ) -> RowPlane:
        """Return the plane of some bars.

        Parameters
        ----------
        bars : Bars
            What is drawn.
        width : int
            Pixels of the whole chart.
        head : float, optional
            Pixels over the rows; by default what the legend needs.
        row : float, optional
            Height of a row; by default one that suits their number.
        totals : list of str, optional
            What is written behind each row; by default its length.
        """
        tops = bars.tops
        highest = float(tops.max(initial=0.0))
        ticks = tuple(round_ticks(highest))
        names = [fit_text(name, _NAMES * width - 16) for name in bars.names]
        if totals is None:
            written = [format_number(float(top), bars.unit.decimals) for top in tops]
            totals = written if bars.stacked else [""] * len(written)
        left = max([44.0, *(text_width(name) for name in names)]) + 10
        beside = max([0.0, *(text_width(text) for text in totals)]) + 10
        entries = legend(bars.series, width - 4)
        top = legend_height(entries) + _TOP if head is None else head
        if row is None:
            pitch = _ROW if len(names) <= _MANY else _CLOSE
            row = pitch if bars.stacked else max(_ROW, 10 + 9 * len(bars.series))
        # the unit stands beside the last tick
        right = width - max(beside, text_width(bars.unit.label) + 26)
        return cls(
            width,
            round(top + row * max(len(names), 1) + _BOTTOM),
            left,
            max(right, left + 40),
            top,
            row,
            max(ticks[-1], highest) or 1.0,
            ticks,
            names,
            totals,
            entries,
        )

    def x(self, value: float) -> float:
        """Return the pixel of a length."""
        return self.left + value / self.high * (self.right - self.left)

    def y(self, index: float) -> float:
        """Return the pixel of a row's middle."""
        return self.height - self.top - (index + 0.5) * self.row

    @property
    def base(self) -> float:
        """Pixel under the last row."""
        return _BOTTOM

    @property
    def tick_texts(self) -> list[str]:
        """What stands under each grid line: nothing under some where they stand too close."""
        texts = [tick_text(tick, self.ticks) for tick in self.ticks]
        pitch = self.x(self.ticks[1]) - self.x(0)
        every = label_every(len(texts), pitch, max(map(text_width, texts)) + 8)
        return [text if at % every == 0 else "" for at, text in enumerate(texts)]

    def lanes(self, bars: Bars) -> list[tuple[float, float]]:
        """Return how far the bar of each drawn part is under the row's middle, and how thick."""
        if bars.stacked:
            return [(0.0, 14.0 if self.row >= _ROW else 10.0)] * len(bars.drawn)
        count = len(bars.series)
        thick = (self.row - 8) / max(count, 1)
        return [((at - (count - 1) / 2) * thick, thick - 1) for at in range(count)]
