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

_ROW: Final = 24  # pixels of a row; bars side by side take half of that each
_MANY: Final = 24  # charts with more rows have them closer together
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
        Start of the bars, and the largest end that a bar may have.
    top, row : float
        Pixels above the first row, and the height of a row.
    high : float
        Length at `right`, in the unit of the axis.
    ticks : tuple of float
        Values of the grid lines.
    names, totals : list of str
        Texts before and after each row.
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
            The bars to draw.
        width : int
            Pixels of the whole chart.
        head : float, optional
            Pixels above the rows; by default the height of the legend.
        row : float, optional
            Height of a row; by default chosen by the number of rows.
        totals : list of str, optional
            Text after each row; by default the length of its bar.
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
        # the unit is beside the last tick
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
        """Return the position of a length, in pixels."""
        return self.left + value / self.high * (self.right - self.left)

    def y(self, index: float) -> float:
        """Return the position of a row's middle, in pixels."""
        return self.height - self.top - (index + 0.5) * self.row

    @property
    def base(self) -> float:
        """Lower edge of the last row, in pixels."""
        return _BOTTOM

    @property
    def tick_texts(self) -> list[str]:
        """Label under each grid line; some are empty if lines are too close."""
        texts = [tick_text(tick, self.ticks) for tick in self.ticks]
        pitch = self.x(self.ticks[1]) - self.x(0)
        every = label_every(len(texts), pitch, max(map(text_width, texts)) + 8)
        return [text if at % every == 0 else "" for at, text in enumerate(texts)]

    def lanes(self, bars: Bars) -> list[tuple[float, float]]:
        """Return the distance of each drawn part below the row's middle, and its thickness."""
        if bars.stacked:
            return [(0.0, 14.0 if self.row >= _ROW else 10.0)] * len(bars.drawn)
        count = len(bars.series)
        thick = (self.row - 8) / max(count, 1)
        return [((at - (count - 1) / 2) * thick, thick - 1) for at in range(count)]
