"""Places the start lines and the names of steps above the memory chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nbprof.charts.layout import label_every
from nbprof.charts.text import text_width
from nbprof.model.arrays import floats_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from nbprof.charts.memory.plane import MemoryPlane

#: Height of the band above the plane with the names of steps, in pixels.
STEP_BAND: Final = 18
_LINES: Final = 3  # minimum distance between the lines of two steps, in pixels


class StepNames(NamedTuple):
    """Lines and names, in the unit of the axis.

    Attributes
    ----------
    bounds : ndarray of float64, shape (lines,)
        Starts of the steps, and the end of the last one.
    names : list of (float, str)
        Middle and text.
    """

    bounds: NDArray[np.float64]
    names: list[tuple[float, str]]


def step_names(steps: pa.Table, plane: MemoryPlane) -> StepNames:
    """Return lines and names of the steps in the visible range.

    If steps are close together, only every nth is named, and lines that would touch are left out.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.
    plane : MemoryPlane
        The axis.
    """
    number, start, end = (floats_of(steps[name]) for name in ("step", "start_us", "end_us"))
    start, end = start / plane.time_unit.divisor, end / plane.time_unit.divisor
    seen = np.flatnonzero((end > plane.start) & (start < plane.end))
    if not len(seen):
        return StepNames(np.empty(0), [])
    number, start, end = number[seen], start[seen], end[seen]
    bounds = np.append(start, end[-1:])
    bounds = bounds[(bounds > plane.start) & (bounds < plane.end)]
    _, one_a_column = np.unique((bounds / plane.x(_LINES)).astype(np.int64), return_index=True)
    left, right = np.maximum(start, plane.start), np.minimum(end, plane.end)
    room = float(np.median(right - left)) / plane.x(1)
    words = "Step {:.0f}"
    if text_width(words.format(number.max())) + 8 > room:
        words = "{:.0f}"
    width = text_width(words.format(number.max())) + 8
    every = label_every(len(number), room, width)
    names: list[tuple[float, str]] = []
    edge = -np.inf
    for index, value in enumerate(number):
        named = every == 1 or (value if np.ptp(number) >= every else index) % every == 0
        middle = (left[index] + right[index]) / 2
        # A step that the range cuts may have less room than the others.
        middle = min(max(middle, plane.start + plane.x(width / 2)), plane.end - plane.x(width / 2))
        if named and middle - plane.x(width / 2) >= edge:
            names.append((float(middle), words.format(value)))
            edge = middle + plane.x(width / 2)
    return StepNames(bounds[one_a_column], names)
