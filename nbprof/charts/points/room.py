"""Finds room for texts beside points: where neither another text nor a point is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable

Floats = npt.NDArray[np.float64]

#: Half of the height of a text, and the distance of two texts one above the other, in pixels.
_HALF: Final = 6.0
_LINE: Final = 13.0


@dataclass
class Room:
    """What is taken in a chart, in pixels.

    Attributes
    ----------
    x, y, radius : ndarray of float64, shape (points,)
        The points.
    left, right, low, high : float
        The area that texts stay in.
    texts : list of (float, float, float)
        Texts that are placed: left, right, middle.
    """

    x: Floats
    y: Floats
    radius: Floats
    left: float
    right: float
    low: float
    high: float
    texts: list[tuple[float, float, float]] = field(default_factory=list)

    def place(
        self, wide: float, places: Iterable[tuple[float, float]]
    ) -> tuple[float, float] | None:
        """Take the first place that is free for a text, and return it; None without any.

        Parameters
        ----------
        wide : float
            Width of the text.
        places : iterable of (float, float)
            Left end and middle of each place, the best first.
        """
        for start, y in places:
            if self._is_free(start, start + wide, y):
                self.texts.append((start, start + wide, y))
                return start, y
        return None

    def _is_free(self, start: float, end: float, y: float) -> bool:
        if start < self.left or end > self.right or not self.low <= y <= self.high:
            return False
        if any(
            abs(y - other) < _LINE and start < right and left < end
            for left, right, other in self.texts
        ):
            return False
        across = np.maximum(np.maximum(start - self.x, self.x - end), 0.0)
        up = np.maximum(np.abs(self.y - y) - _HALF, 0.0)
        return not bool((across**2 + up**2 < self.radius**2).any())
