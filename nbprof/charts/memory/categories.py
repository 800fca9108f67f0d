"""What memory is for, as areas one on the other under the curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, Scatter, VAreaStep

from nbprof.charts.canvas import Texts, place
from nbprof.charts.layout import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from bokeh.plotting import figure
    from numpy.typing import NDArray

    from nbprof.charts.memory.plane import MemoryPlane
    from nbprof.charts.theme import Palette

_PITCH = 14  # pixels between two names
_SWATCH = 9  # pixels of the square before a name


@dataclass(frozen=True)
class Category:
    """The memory of one category as a step function.

    Attributes
    ----------
    name : str
        What it is for.
    time_us : ndarray of float64, shape (points,)
        Ascending.
    size : ndarray of float64, shape (points,)
        Bytes from then on.
    color : str
        Its area.
    """

    name: str
    time_us: NDArray[np.float64]
    size: NDArray[np.float64]
    color: str

    def at(self, time_us: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the bytes at some times; 0 before the first."""
        place_of = np.searchsorted(self.time_us, time_us, side="right") - 1
        return np.where(place_of >= 0, self.size[np.maximum(place_of, 0)], 0.0)


def read_categories(table: pa.Table | None, colors: Palette) -> list[Category]:
    """Return the categories of the table ``memory_categories`` that ever hold anything."""
    if table is None:
        return []
    names = np.array(table["category"].to_pylist(), np.str_)
    time = np.asarray(table["time_us"], np.float64)
    size = np.asarray(table["bytes"], np.float64)
    found = []
    for index, name in enumerate(dict.fromkeys(names.tolist())):
        rows = names == name
        if size[rows].any():
            # The slot is that of the category, whichever others there are.
            color = colors.slots[index % len(colors.slots)]
            found.append(Category(name, time[rows], size[rows], color))
    return found


def draw_categories(made: figure, found: Sequence[Category], plane: MemoryPlane) -> None:
    """Draw the areas: of every column of pixels what is there when it starts.

    The source ``categories`` has the columns time, and for each category where its area ends.
    """
    time = np.linspace(plane.start, plane.end, plane.columns + 1)
    columns: dict[str, Any] = {"time": time, "": np.zeros(len(time))}
    top = columns[""]
    for one in found:
        top = top + one.at(time * plane.time_unit.divisor) / plane.unit.divisor
        columns[one.name] = top
    source = ColumnDataSource(columns, name="categories")
    below = ""
    for one in found:
        area = VAreaStep(x="time", y1={"field": below}, y2={"field": one.name}, step_mode="after")
        area.update(fill_color=one.color)
        place(made, source, area, f"category {one.name}")
        below = one.name


def name_categories(
    made: figure,
    found: Sequence[Category],
    plane: MemoryPlane,
    colors: Palette,
    *,
    peak_us: float,
    texts: Texts,
) -> None:
    """Write the names beside the plane, each with its colour, as they lie at the peak."""
    base, middles = 0.0, []
    for one in found:
        size = float(one.at(np.array([peak_us]))[0]) / plane.unit.divisor
        middles.append((base + size / 2) / plane.y(1))
        base += size
    places = spread(middles, _PITCH, 6, plane.high / plane.y(1))
    squares: dict[str, Any] = {
        "x": [plane.end + plane.x(12)] * len(places),
        "y": [plane.y(pixel) for pixel in places],
        "color": [one.color for one in found],
    }
    square = Scatter(x="x", y="y", size=_SWATCH, marker="square", fill_color="color")
    square.update(line_color=None)
    place(made, ColumnDataSource(squares, name="swatches"), square, "swatches")
    for one, pixel in zip(found, places, strict=True):
        at = plane.end + plane.x(12 + _SWATCH)
        texts.add(at, plane.y(pixel), one.name, colors.foreground)
