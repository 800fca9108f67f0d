"""Draws memory by category, such as gradients, as stacked areas in the memory chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.charts.layout import spread
from nbprof.charts.marks import AreaMark, BoxMark, Source
from nbprof.model.arrays import floats_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.chart import Chart
    from nbprof.charts.memory.plane import MemoryPlane

_PITCH: Final = 14  # pixels between two names
_SWATCH: Final = 9  # pixels of the square before a name
_SLOTS: Final = 10


@dataclass(frozen=True)
class Category:
    """The memory of one category as a step function.

    Attributes
    ----------
    name : str
        Name of the category.
    time_us : ndarray of float64, shape (points,)
        Ascending.
    size : ndarray of float64, shape (points,)
        Bytes from that time on.
    color : str
        Token of the colour of its area.
    """

    name: str
    time_us: NDArray[np.float64]
    size: NDArray[np.float64]
    color: str

    def at(self, time_us: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the bytes at given times; 0 before the first value."""
        place_of = np.searchsorted(self.time_us, time_us, side="right") - 1
        return np.where(place_of >= 0, self.size[np.maximum(place_of, 0)], 0.0)


def read_categories(table: pa.Table | None) -> list[Category]:
    """Return the categories of the table ``memory_categories`` that hold memory at any time."""
    if table is None:
        return []
    names = np.array(table["category"].to_pylist(), np.str_)
    time = floats_of(table["time_us"])
    size = floats_of(table["bytes"])
    found = []
    for index, name in enumerate(dict.fromkeys(names.tolist())):
        rows = names == name
        if size[rows].any():
            # The slot depends on the category alone, whichever others there are.
            found.append(Category(name, time[rows], size[rows], f"slot{index % _SLOTS}"))
    return found


def category_areas(categories: Sequence[Category], plane: MemoryPlane) -> AreaMark:
    """Return the areas, with the values at the start of every column of pixels.

    The source ``categories`` has the columns time, and the upper edge of each category's area.
    """
    time = np.linspace(plane.start, plane.end, plane.columns + 1)
    columns: dict[str, Any] = {"time": time, "": np.zeros(len(time))}
    top = columns[""]
    for one in categories:
        top = top + one.at(time * plane.time_unit.divisor) / plane.unit.divisor
        columns[one.name] = top
    return AreaMark(Source("categories", columns), {one.name: one.color for one in categories})


def name_categories(
    chart: Chart, categories: Sequence[Category], plane: MemoryPlane, *, peak_us: float
) -> None:
    """Write the names beside the plane with their colours, in the order of areas at the peak."""
    base, middles = 0.0, []
    for one in categories:
        size = float(one.at(np.array([peak_us]))[0]) / plane.unit.divisor
        middles.append((base + size / 2) / plane.y(1))
        base += size
    places = spread(middles, _PITCH, 6, plane.high / plane.y(1))
    x, half = plane.end + plane.x(12), _SWATCH / 2
    columns = {
        "left": [x - plane.x(half)] * len(places),
        "right": [x + plane.x(half)] * len(places),
        "bottom": [plane.y(pixel - half) for pixel in places],
        "top": [plane.y(pixel + half) for pixel in places],
        "color": [one.color for one in categories],
    }
    chart.marks.append(BoxMark(Source("swatches", columns)))
    for one, pixel in zip(categories, places, strict=True):
        chart.write(x + plane.x(_SWATCH), plane.y(pixel), one.name, "foreground")
