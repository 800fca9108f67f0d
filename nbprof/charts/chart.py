"""`Chart`: the size, coordinates and marks of a chart, independent of any drawing library.

Layouts turn tables into charts. They determine sizes and texts, but no colours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nbprof.charts.marks import LineMark, TextMark

if TYPE_CHECKING:
    from nbprof.charts.marks import Mark


class Items(NamedTuple):
    """The positions of the items of a chart, so that they can be pointed at and selected.

    Parameters
    ----------
    kind : {"columns", "rows", "ring", "points"}
        Vertical bars, horizontal bars, slices of a ring with their angles in the source, or discs
        with the columns x, down (from the upper edge) and radius in the source.
    source : str
        Name of the source.
    x, y : float
        Upper left corner of the first bar, or middle of the ring, in pixels from the upper left
        corner of the chart.
    inner, outer : float
        Radii of a ring; for bars, the distance from one to the next, and their length.
    """

    kind: Literal["columns", "rows", "ring", "points"]
    source: str
    x: float
    y: float
    inner: float
    outer: float


@dataclass
class Chart:
    """The marks of a chart in drawing order, and its coordinates.

    Parameters
    ----------
    name : str
        Name of the figure.
    width, height : int
        CSS pixels.
    x, y : (float, float), optional
        Coordinates of the left and right, and of the lower and upper edge; by default pixels.
    marks : list of mark
        The shapes, below `leaders` and `labels`.
    leaders : LineMark
        Lines from labels to the shapes they name.
    labels : TextMark
        The texts.
    geometry : dict of str to float
        Coordinates that the page needs, by name.
    items : Items, optional
        The items that can be selected.
    """

    name: str
    width: int
    height: int
    x: tuple[float, float] = (0.0, 0.0)
    y: tuple[float, float] = (0.0, 0.0)
    marks: list[Mark] = field(default_factory=list)
    leaders: LineMark = field(default_factory=lambda: LineMark.named("leaders"))
    labels: TextMark = field(default_factory=lambda: TextMark.named("labels"))
    geometry: dict[str, float] = field(default_factory=dict)
    items: Items | None = None

    def __post_init__(self) -> None:
        """Use pixels as coordinates by default."""
        if self.x == self.y == (0.0, 0.0):
            self.x, self.y = (0.0, float(self.width)), (0.0, float(self.height))

    def write(self, x: float, y: float, text: str, color: str, **look: Any) -> None:
        """Add a label; see `TextMark.add`."""
        self.labels.add(x, y, text, color, **look)

    def layers(self) -> list[Mark]:
        """Return all marks from the bottom up, including those without rows."""
        return [*self.marks, self.leaders, self.labels]

    def drawn(self) -> list[Mark]:
        """Return all marks that have rows, from the bottom up."""
        return [mark for mark in self.layers() if any(map(len, mark.source.columns.values()))]
