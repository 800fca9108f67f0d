"""`RangePeaks`: the place of the maximum in any range of an array, after one pass over it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_CHUNK: Final = 32


class RangePeaks:
    """Answers for many ranges at once, each in constant time (a sparse table over chunks).

    Parameters
    ----------
    values : ndarray of int64, shape (n,)
        At least one value.
    """

    def __init__(self, values: Ints) -> None:
        self._values = values
        chunks = -(-len(values) // _CHUNK)
        padded = np.full(chunks * _CHUNK, np.iinfo(np.int64).min)
        padded[: len(values)] = values
        first = padded.reshape(chunks, _CHUNK).argmax(axis=1) + np.arange(chunks) * _CHUNK
        self._levels = [first]
        while 2 << (len(self._levels) - 1) <= chunks:
            below = self._levels[-1]
            half = 1 << (len(self._levels) - 1)
            self._levels.append(self._better(below[:-half], below[half:]))

    def at(self, first: Ints, last: Ints) -> Ints:
        """Return the place of the first maximum of each range, both ends included."""
        left, right = first // _CHUNK, last // _CHUNK
        found = self._edge(first, np.minimum(last, (left + 1) * _CHUNK - 1))
        found = self._better(found, self._edge(np.maximum(first, right * _CHUNK), last))
        low, high = left + 1, right
        wide = np.flatnonzero(high > low)
        if len(wide):
            low, count = low[wide], (high - low)[wide]
            level = np.frexp(count.astype(np.float64))[1] - 1
            for one in np.unique(level).tolist():
                rows = level == one
                start, end = low[rows], low[rows] + count[rows] - (1 << one)
                inside = self._better(self._levels[one][start], self._levels[one][end])
                place = wide[rows]
                found[place] = self._better(found[place], inside)
        return found

    def _edge(self, first: Ints, last: Ints) -> Ints:
        """Return the maxima of ranges no longer than a chunk."""
        place = np.minimum(first[:, np.newaxis] + np.arange(_CHUNK), last[:, np.newaxis])
        best: Ints = self._values[place].argmax(axis=1)
        found: Ints = np.minimum(first + best, last)
        return found

    def _better(self, one: Ints, other: Ints) -> Ints:
        """Return the places with the larger values; of equal ones, the earlier."""
        a, b = self._values[one], self._values[other]
        chosen: Ints = np.where((b > a) | ((b == a) & (other < one)), other, one)
        return chosen
