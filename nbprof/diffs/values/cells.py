"""`Cells`: the values of a table's rows in every step, for one side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, sums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Keys = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Cells:
    """Values by row and step; a row without a value in a step counts as 0 there.

    Attributes
    ----------
    keys : list of tuple
        The values of the key columns of each row; all different.
    row, step : ndarray of int64, shape (cells,)
        Row and step of each cell; no two cells have both in common.
    values : dict of str to ndarray of float64, shape (cells,)
        The figures. A figure that the recording has no source for is missing.
    steps : int
        Number of steps.
    complete : int
        How many of them were recorded completely; 0 if the recording counts as a whole.
    """

    keys: Keys
    row: Rows
    step: Rows
    values: dict[str, Floats]
    steps: int
    complete: int

    @classmethod
    def summed(
        cls,
        keys: Keys,
        row: Rows,
        step: Rows,
        values: Mapping[str, npt.NDArray[Any]],
        *,
        steps: int,
        complete: int,
    ) -> Cells:
        """Sum values of single events by row and step.

        Parameters
        ----------
        keys : list of tuple
            The key of each row.
        row, step : ndarray of int64, shape (events,)
            Row and step of each event; events with a negative step are left out.
        values : mapping of str to ndarray, shape (events,)
            Values of each event.
        steps, complete : int
            Numbers of steps.
        """
        use = np.flatnonzero((step >= 0) & (row >= 0))
        row, step = row[use], step[use]
        cell, first = dense(row, step) if len(use) else (row, row)
        found = {name: sums(cell, of[use], len(first)) for name, of in values.items()}
        return cls(keys, row[first], step[first], found, steps, complete).without_empty_rows()

    def without_empty_rows(self) -> Cells:
        """Return the cells without rows that have none."""
        used = np.zeros(len(self.keys), bool)
        used[self.row] = True
        if used.all():
            return self
        place = np.cumsum(used) - 1
        keys = [self.keys[at] for at in np.flatnonzero(used).tolist()]
        return replace(self, keys=keys, row=place[self.row])

    def of_rows(self, chosen: npt.NDArray[np.bool_]) -> Cells:
        """Return the sum of chosen rows as the cells of a single row.

        Parameters
        ----------
        chosen : ndarray of bool, shape (rows,)
        """
        use = np.flatnonzero(chosen[self.row]) if len(self.row) else self.row
        summed = Cells.summed(
            [("",)],
            np.zeros(len(use), np.int64),
            self.step[use],
            {name: of[use] for name, of in self.values.items()},
            steps=self.steps,
            complete=self.complete,
        )
        return replace(summed, keys=[("",)])  # also if nothing was chosen


def pooled(sides: Sequence[Cells]) -> Cells:
    """Return the means over workers of their values in each step.

    Workers have equal numbers of steps; a row that a worker does not have counts as 0 there.
    """
    if len(sides) == 1:
        return sides[0]
    joined = _joined(sides)
    return Cells.summed(
        joined.keys,
        joined.row,
        joined.step,
        {name: of / len(sides) for name, of in joined.values.items()},
        steps=joined.steps,
        complete=joined.complete,
    )


def largest(sides: Sequence[Cells]) -> Cells:
    """Return the largest value of any worker in each step."""
    if len(sides) == 1:
        return sides[0]
    joined = _joined(sides)
    cell, first = dense(joined.row, joined.step) if len(joined.row) else (joined.row, joined.row)
    values = {}
    for name, of in joined.values.items():
        values[name] = np.full(len(first), -np.inf)
        np.maximum.at(values[name], cell, of)
    return replace(joined, row=joined.row[first], step=joined.step[first], values=values)


def _joined(sides: Sequence[Cells]) -> Cells:
    """Return the cells of all workers, with equal keys in equal rows; cells may occur twice."""
    keys: dict[tuple[Any, ...], int] = {}
    rows = [
        np.array([keys.setdefault(key, len(keys)) for key in one.keys], np.int64)[one.row]
        if one.keys
        else one.row
        for one in sides
    ]
    names = [name for name in sides[0].values if all(name in one.values for one in sides)]
    return Cells(
        list(keys),
        np.concatenate(rows),
        np.concatenate([one.step for one in sides]),
        {name: np.concatenate([one.values[name] for one in sides]) for name in names},
        min(one.steps for one in sides),
        min(one.complete for one in sides),
    )
