"""Marks, the shapes of a chart: bars, slices, lines, texts and others, with data in columns.

Everything that depends on the data is in the columns of named sources, where colours are tokens of
`nbprof.charts.theme.Palette`. All other attributes of marks form the template of the figure: charts
whose marks differ only in columns share a figure and differ in its data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from nbprof.charts.text import SMALL

if TYPE_CHECKING:
    from nbprof.model.units import ByteUnit, TimeUnit

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Source:
    """Columns of equal length under a name; several marks may share one."""

    name: str
    columns: dict[str, Any]


class Tip(NamedTuple):
    """A line of a tooltip: its label, the column of its value, and the unit of numbers."""

    label: str
    column: str
    unit: TimeUnit | ByteUnit | None = None


@dataclass(frozen=True)
class TextMark:
    """Lines of text; columns x, y, text, align, style, color and size.

    Parameters
    ----------
    source : Source
        Its columns; `add` appends to them.
    over : bool
        Whether texts are drawn over shapes and need a background.
    """

    source: Source
    over: bool = False

    @classmethod
    def named(cls, name: str, *, over: bool = False) -> TextMark:
        """Return a mark without any text."""
        columns = ("x", "y", "text", "align", "style", "color", "size")
        return cls(Source(name, {column: [] for column in columns}), over)

    def add(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        *,
        align: str = "left",
        bold: bool = False,
        size: float = SMALL,
    ) -> None:
        """Append a text that is vertically centred at `y`, in the coordinates of the chart."""
        row = (x, y, text, align, "bold" if bold else "normal", color, size)
        for column, value in zip(self.source.columns.values(), row, strict=True):
            column.append(value)


@dataclass(frozen=True)
class LineMark:
    """Lines through points; columns xs, ys (lists of numbers) and color.

    Parameters
    ----------
    source : Source
        Its columns; `add` appends to them.
    dash : tuple of int
        Pixels of line and gap; none for solid lines.
    """

    source: Source
    dash: tuple[int, ...] = ()

    @classmethod
    def named(cls, name: str, *, dash: tuple[int, ...] = ()) -> LineMark:
        """Return a mark without any line."""
        return cls(Source(name, {"xs": [], "ys": [], "color": []}), dash)

    def add(self, color: str, *points: Point) -> None:
        """Append a line through some points."""
        columns = self.source.columns
        columns["xs"].append([x for x, _ in points])
        columns["ys"].append([y for _, y in points])
        columns["color"].append(color)


@dataclass(frozen=True)
class BoxMark:
    """Rectangles; columns left, right, bottom, top and color.

    Parameters
    ----------
    source : Source
        Its columns.
    hatched : bool
        Whether they are hatched.
    tinted : bool
        Whether they are transparent, so that shapes below are visible.
    veiled : bool
        Whether they mute the shapes below, which stay faintly visible.
    """

    source: Source
    hatched: bool = False
    tinted: bool = False
    veiled: bool = False


class Part(NamedTuple):
    """One part of every bar.

    Parameters
    ----------
    name : str
        Name of the part, which is also that of its renderer.
    color : str
        Token of its colour; empty if the column ``color`` has one for each bar.
    at : str
        Column of the middle of each bar.
    thick : float
        Thickness of the bars, in the coordinates of the chart.
    low, high : tuple of str
        Columns whose sums are the start and the end of the part; no columns stand for 0.
    """

    name: str
    color: str
    at: str
    thick: float
    low: tuple[str, ...]
    high: tuple[str, ...]


@dataclass(frozen=True)
class BarMark:
    """Bars in parts.

    Parameters
    ----------
    source : Source
        One row per bar.
    parts : tuple of Part
        The parts of each bar.
    lying : bool
        Whether bars run to the right rather than up.
    gap : bool
        Whether parts are set apart.
    joined : bool
        Whether bars are so thin that areas are drawn in their place.
    """

    source: Source
    parts: tuple[Part, ...]
    lying: bool = False
    gap: bool = True
    joined: bool = False


@dataclass(frozen=True)
class PointerMark:
    """Invisible bars as long as the chart, over which rows can be pointed at and clicked.

    Parameters
    ----------
    source : Source
        One row per bar.
    name : str
        Name of the invisible bars.
    at : str
        Column of the middle of each row.
    thick : float
        Thickness of a row.
    end : float
        End of the bars, which begin at 0.
    tips : tuple of Tip
        Tooltip of a row.
    heading : str
        Column with the heading of the tooltip; empty for none.
    lying : bool
        Whether rows run to the right.
    brushed : bool
        Whether rows can be dragged over.
    """

    source: Source
    name: str
    at: str
    thick: float
    end: float
    tips: tuple[Tip, ...]
    heading: str = ""
    lying: bool = False
    brushed: bool = False


@dataclass(frozen=True)
class WedgeMark:
    """Slices of a ring; columns start, end, color, gap (1 for an outline) and ink (opacity).

    Parameters
    ----------
    source : Source
        One row per slice: angles in radians, clockwise.
    x, y, inner, outer : float
        Middle and radii in pixels.
    tips, heading
        As for `PointerMark`; without `tips` slices cannot be clicked.
    """

    source: Source
    x: float
    y: float
    inner: float
    outer: float
    tips: tuple[Tip, ...] = ()
    heading: str = ""


@dataclass(frozen=True)
class StepMark:
    """A step function; columns time and last, and with `ranges` also low and high.

    Parameters
    ----------
    source : Source
        One row for each column of pixels in which the value changes.
    color : str
        Token of its colour.
    width : float
        Pixels of the line.
    dash : tuple of int
        Pixels of line and gap; none for a solid line.
    ranges : bool
        Whether the minimum and maximum inside each column are drawn.
    filled : bool
        Whether the area under it is tinted.
    """

    source: Source
    color: str
    width: float
    dash: tuple[int, ...] = ()
    ranges: bool = False
    filled: bool = False


@dataclass(frozen=True)
class AreaMark:
    """Stacked step functions as areas; a column time, and one for each upper edge.

    Parameters
    ----------
    source : Source
        The edges; the lowest one is in the column with the empty name.
    colors : dict of str to str
        Token of the colour by column, from the bottom up.
    """

    source: Source
    colors: dict[str, str]


@dataclass(frozen=True)
class DotMark:
    """Rings at points; columns x and y."""

    source: Source
    size: float
    color: str


@dataclass(frozen=True)
class BubbleMark:
    """Discs at points; columns x, y, radius and color, in pixels.

    Parameters
    ----------
    source : Source
        One row per disc.
    tips, heading
        As for `PointerMark`; without `tips` discs cannot be clicked.
    """

    source: Source
    tips: tuple[Tip, ...] = ()
    heading: str = ""


Mark: TypeAlias = (
    TextMark
    | LineMark
    | BoxMark
    | BarMark
    | PointerMark
    | WedgeMark
    | StepMark
    | AreaMark
    | DotMark
    | BubbleMark
)
