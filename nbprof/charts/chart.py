"""`Chart`: the size, coordinates and marks of a chart, independent of any drawing library.

Layouts turn tables into charts. They know sizes and texts, but no drawing library and no colours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nbprof.charts.marks import LineMark, TextMark

if TYPE_CHECKING:
    from nbprof.charts.marks import Mark


@dataclass
class Chart:
    """Marks in the order in which they are drawn, and the coordinates that they have.

    Parameters
    ----------
    name : str
        Name of the figure.
    width, height : int
        CSS pixels.
    x, y : (float, float), optional
        Coordinates of the left and right, and of the lower and upper edge; by default pixels.
    marks : list of mark
        What is drawn, under `leaders` and `labels`.
    leaders : LineMark
        Lines from labels to what they name.
    labels : TextMark
        What is written.
    geometry : dict of str to float
        What a page has to know of the coordinates.
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

    def __post_init__(self) -> None:
        """Count in pixels where nothing else is said."""
        if self.x == self.y == (0.0, 0.0):
            self.x, self.y = (0.0, float(self.width)), (0.0, float(self.height))

    def write(self, x: float, y: float, text: str, color: str, **look: Any) -> None:
        """Add a label; see `TextMark.add`."""
        self.labels.add(x, y, text, color, **look)

    def layers(self) -> list[Mark]:
        """Return all marks from the bottom up, those without rows too."""
        return [*self.marks, self.leaders, self.labels]

    def drawn(self) -> list[Mark]:
        """Return all marks that have rows, from the bottom up."""
        return [mark for mark in self.layers() if any(map(len, mark.source.columns.values()))]
