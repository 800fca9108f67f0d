"""Medians and median absolute deviations of many rows over steps, most of whose values are 0.

A row has a value in few of the steps in which others have one, so that a dense array of rows and
steps would not be linear in the number of events. Here the missing zeros are only counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Makes the median absolute deviation an estimate of the standard deviation of normal values.
MAD_SCALE: Final = 1.4826
#: With fewer complete steps than this on a side there is no estimate of the noise.
LEAST_STEPS: Final = 3
#: From so many on, about one row of seven that did not change exceeds twice the noise; of three
#: steps, three of ten do (normal values, simulated). More steps hardly make it fewer.
ENOUGH_STEPS: Final = 10


@dataclass(frozen=True)
class Spread:
    """Medians of rows over steps, and how far single steps are from them; shape (rows,).

    Attributes
    ----------
    median : ndarray of float64
        Median over the steps.
    deviation : ndarray of float64
        1.4826 times the median absolute deviation from it.
    """

    median: Floats
    deviation: Floats


@dataclass(frozen=True)
class Layout:
    """Which cells each row has, for the spreads of several figures of the same cells.

    Attributes
    ----------
    rows : int
        Number of rows.
    blocks : list of (ndarray of int64, ndarray of int64)
        Rows that have equally many cells, shape (n,), and these cells, shape (n, cells of a row).
    """

    rows: int
    blocks: list[tuple[Rows, Rows]]

    @classmethod
    def of(cls, row: Rows, rows: int) -> Layout:
        """Group cells by their rows.

        Parameters
        ----------
        row : ndarray of int64, shape (cells,)
            Row of each cell.
        rows : int
            Number of rows.
        """
        order = np.argsort(row, kind="stable")
        there = np.bincount(row, minlength=rows)
        first = np.cumsum(there) - there
        by_count = np.argsort(there, kind="stable")
        bounds = np.flatnonzero(np.diff(there[by_count], prepend=0, append=np.inf))
        blocks = []
        for low, high in pairwise(bounds.tolist()):
            of = by_count[low:high]
            blocks.append((of, order[first[of][:, None] + np.arange(there[of[0]])]))
        return cls(rows, blocks)


def spread(layout: Layout, values: Floats, steps: int) -> Spread:
    """Return medians and deviations of rows over steps.

    Parameters
    ----------
    layout : Layout
        Which values each row has, at most as many as there are steps.
    values : ndarray of float64, shape (cells,)
        Values that are not negative.
    steps : int
        Number of steps; steps without a value of a row count as 0.
    """
    median, deviation = np.zeros(layout.rows), np.zeros(layout.rows)
    if steps:
        for rows, cells in layout.blocks:
            there = np.sort(values[cells], axis=1)
            median[rows] = middle = _medians(there, np.zeros(len(rows)), steps)
            off = np.sort(np.abs(there - middle[:, None]), axis=1)
            deviation[rows] = MAD_SCALE * _medians(off, middle, steps)
    return Spread(median, deviation)


def noise(baseline: Spread, candidate: Spread, steps: tuple[int, int]) -> Floats:
    """Return the standard error of the difference of two medians, shape (rows,).

    It is sqrt(s_b² / n_b + s_c² / n_c) with the deviations s and the numbers n of complete steps.

    Parameters
    ----------
    baseline, candidate : Spread
        Both sides, of the same rows.
    steps : (int, int)
        Complete steps of both sides; without enough of them, every value is NaN.
    """
    if min(steps) < LEAST_STEPS:
        return np.full(len(baseline.median), np.nan)
    of_sides = zip((baseline, candidate), steps, strict=True)
    variance = [one.deviation**2 / count for one, count in of_sides]
    error: Floats = np.sqrt(variance[0] + variance[1])
    return error


def _medians(there: Floats, rest: Floats, steps: int) -> Floats:
    """Return medians of rows whose missing values are all equal.

    Parameters
    ----------
    there : ndarray of float64, shape (rows, values)
        The values that are there, ascending.
    rest : ndarray of float64, shape (rows,)
        What every missing value of a row is.
    steps : int
        Number of values of each row, missing ones included.
    """
    count = there.shape[1]
    missing = steps - count
    below = (there < rest[:, None]).sum(axis=1) if missing else np.full(len(there), steps)

    def at(rank: int) -> Floats:
        before = rank < below
        is_rest = ~before & (rank < below + missing)
        place = np.clip(np.where(before, rank, rank - missing), 0, count - 1)
        found: Floats = np.where(is_rest, rest, there[np.arange(len(there)), place])
        return found

    low = at((steps - 1) // 2)
    return low if steps % 2 else (low + at(steps // 2)) / 2
