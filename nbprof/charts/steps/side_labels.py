"""Places the labels to the right of the step chart: segments of the last bar, and the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.charts.layout import spread
from nbprof.model.units import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.charts.steps.plane import Plane

_PITCH: Final = 13  # pixels between two labels
_LEAST_PCT: Final = 1.0  # minimum share of the last bar that a labelled segment has


class SideLabel(NamedTuple):
    """One label.

    Parameters
    ----------
    at : float
        Height that it labels, in the unit of the axis.
    pixel : float
        Height of its middle, in pixels above the base line.
    text : str
        Its text.
    is_mean : bool
        Whether it names the mean rather than a segment.
    """

    at: float
    pixel: float
    text: str
    is_mean: bool


def side_labels(
    last: Sequence[tuple[str, float]], mean: float | None, plane: Plane
) -> list[SideLabel]:
    """Name the segments of the last bar and the mean, from the bottom up.

    Parameters
    ----------
    last : sequence of (str, float)
        Titles and lengths of the parts of the last bar, from the bottom up, in the unit of
        the axis.
    mean : float or None
        The mean, if it is drawn.
    plane : Plane
        Positions of the bars.
    """
    whole = sum(value for _, value in last)
    wanted: list[tuple[float, str, bool]] = []
    base = 0.0
    for title, value in last:
        if value > 0 and 100 * value >= _LEAST_PCT * whole:
            wanted.append((base + value / 2, title, False))
        base += value
    if mean is not None:
        wanted.append((mean, mean_text(mean, plane), True))
    wanted.sort()
    pixels = [at / plane.per_pixel for at, _, _ in wanted]
    places = spread(pixels, _PITCH, -plane.bottom / 2, plane.high / plane.per_pixel + 8)
    return [
        SideLabel(at, pixel, text, is_mean)
        for (at, text, is_mean), pixel in zip(wanted, places, strict=True)
    ]


def mean_text(mean: float, plane: Plane) -> str:
    """Return the label of the mean."""
    return f"mean {format_number(mean, plane.unit.decimals)}"
