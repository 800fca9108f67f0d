"""Compares the values of two sides row by row: medians, differences, noise and changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.diffs.spec import ADDED, CHANGE, DOWN, REMOVED, SAME, UP, Figure
from nbprof.diffs.values.statistics import Layout, Spread, noise, spread
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.diffs.values.cells import Cells

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: A difference of at most this many times the noise is no change.
NOISES = 2.0


@dataclass(frozen=True)
class Change:
    """A figure of all rows on both sides; arrays of shape (rows,).

    Attributes
    ----------
    baseline, candidate : ndarray of float64
        Medians over steps; NaN if the side has no source for the figure.
    noise : ndarray of float64
        Standard error of their difference; NaN without an estimate.
    """

    baseline: Floats
    candidate: Floats
    noise: Floats

    @property
    def delta(self) -> Floats:
        """Candidate minus baseline."""
        difference: Floats = self.candidate - self.baseline
        return difference

    @property
    def within_noise(self) -> Mask:
        """Whether the difference is no change."""
        delta = np.abs(self.delta)
        calm: Mask = np.where(np.isnan(self.noise), delta == 0, delta <= NOISES * self.noise)
        return calm

    def share(self, of: Floats) -> Floats:
        """Return values as percentages of the baseline, NaN where that is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 100.0 * of / self.baseline
        result: Floats = np.where(self.baseline == 0, np.nan, value)
        return result


@dataclass(frozen=True)
class Comparison:
    """The rows of both sides, matched by key.

    Attributes
    ----------
    keys : list of tuple
        Keys of the rows of either side: first those of the baseline, then those only in the
        candidate.
    of_baseline, of_candidate : ndarray of int64
        Row of each of the sides' own rows among `keys`.
    cells : (Cells, Cells)
        The values of both sides.
    steps : (int, int)
        Complete steps of both sides.
    """

    keys: list[tuple[Any, ...]]
    of_baseline: Rows
    of_candidate: Rows
    cells: tuple[Cells, Cells]
    steps: tuple[int, int]

    @classmethod
    def of(cls, cells: tuple[Cells, Cells], *, noisy: bool = True) -> Comparison:
        """Match rows by their keys.

        Parameters
        ----------
        cells : (Cells, Cells)
            Baseline and candidate.
        noisy : bool
            Whether the spread over steps estimates the noise.
        """
        known: dict[tuple[Any, ...], int] = {}
        rows = [
            np.array([known.setdefault(key, len(known)) for key in one.keys], np.int64)
            for one in cells
        ]
        steps = (cells[0].complete, cells[1].complete) if noisy else (0, 0)
        return cls(list(known), rows[0], rows[1], cells, steps)

    @cached_property
    def there(self) -> tuple[Mask, Mask]:
        """Which rows the baseline and the candidate have."""
        masks = np.zeros((2, len(self.keys)), bool)
        masks[0, self.of_baseline] = True
        masks[1, self.of_candidate] = True
        return masks[0], masks[1]

    def has(self, figure: str) -> bool:
        """Return whether both sides have a source for a figure."""
        return all(figure in one.values for one in self.cells)

    def main(self, figures: Sequence[Figure], chosen: str | None = None) -> str:
        """Return the name of the main figure: the chosen one or the first that both sides have."""
        if chosen is not None:
            return chosen
        return next((f.name for f in figures if self.has(f.name)), figures[0].name)

    def change(self, figure: str) -> Change:
        """Return a figure on both sides; computed once."""
        if figure not in self._changes:
            self._changes[figure] = self._change(figure)
        return self._changes[figure]

    @cached_property
    def _changes(self) -> dict[str, Change]:
        return {}

    def judged(self, figure: str, instead: str) -> Change:
        """Return a figure, and in rows in which it is 0 on both sides another one."""
        change, other = self.change(figure), self.change(instead)
        nothing = (change.baseline == 0) & (change.candidate == 0)
        fields = ("baseline", "candidate", "noise")
        both = ((getattr(other, name), getattr(change, name)) for name in fields)
        return Change(*(np.where(nothing, *pair) for pair in both))

    def _change(self, figure: str) -> Change:
        baseline, candidate = (
            self._spread(one, layout, figure)
            for one, layout in zip(self.cells, self._layouts, strict=True)
        )
        return Change(baseline.median, candidate.median, noise(baseline, candidate, self.steps))

    def words(self, change: Change) -> list[str]:
        """Return what became of each row: added, removed, up, down or same."""
        before, after = self.there
        nothing = np.ones(len(self.keys), bool)  # in fewer than half of the steps of either side
        for figure in {name for one in self.cells for name in one.values}:
            of = self.change(figure)
            nothing &= (np.nan_to_num(of.baseline) == 0) & (np.nan_to_num(of.candidate) == 0)
        word = np.where(change.delta > 0, UP, DOWN)
        word = np.where(change.within_noise, SAME, word)
        word = np.where(~after, REMOVED, np.where(~before, ADDED, word))
        unknown = np.isnan(change.delta) & before & after
        words: list[str] = np.where(unknown | nothing, SAME, word).tolist()
        return words

    @cached_property
    def _layouts(self) -> tuple[Layout, Layout]:
        """Which cells of either side each row has."""
        one, other = (
            Layout.of(rows[cells.row] if len(rows) else cells.row, len(self.keys))
            for cells, rows in zip(self.cells, (self.of_baseline, self.of_candidate), strict=True)
        )
        return one, other

    def _spread(self, cells: Cells, layout: Layout, figure: str) -> Spread:
        if figure not in cells.values:
            unknown = np.full(layout.rows, np.nan)
            return Spread(unknown, unknown)
        return spread(layout, cells.values[figure], cells.steps)


def rows_of(
    comparison: Comparison,
    keys: Sequence[pa.Field],
    figures: Sequence[Figure],
    *,
    figure: str | None = None,
    order: Rows | None = None,
    more: dict[str, tuple[pa.Field, Any]] | None = None,
) -> pa.Table:
    """Return a comparison as a table.

    Parameters
    ----------
    comparison : Comparison
        The rows.
    keys : sequence of pyarrow.Field
        The key columns, in the order of the keys.
    figures : sequence of Figure
        The figures.
    figure : str, optional
        The main figure.
    order : ndarray of int64, shape (rows,), optional
        Rows in their order; by default, the largest changes of the main figure first.
    more : dict of str to (pyarrow.Field, array-like), optional
        Further columns, after the keys.
    """
    main = comparison.main(figures, figure)
    changes = {one.name: comparison.change(one.name) for one in figures}
    change = changes[main]
    if order is None:
        size = np.nan_to_num(np.abs(change.delta))
        rank = np.nan_to_num(np.maximum(change.baseline, change.candidate))
        order = np.lexsort((np.arange(len(size)), -rank, -size))
    columns = [
        arrow_array([key[at] for key in comparison.keys], field.type)
        for at, field in enumerate(keys)
    ]
    fields = list(keys)
    for field, values in (more or {}).values():
        fields.append(field)
        columns.append(arrow_array(values, field.type))
    for one in figures:
        of = changes[one.name]
        for values, column in zip((of.baseline, of.candidate, of.delta), one.columns, strict=True):
            fields.append(column.field)
            columns.append(_numbers(values, column.type))
    of_main = next(one for one in figures if one.name == main)
    instead = of_main.instead if figure is None and comparison.has(of_main.instead) else ""
    judged = comparison.judged(main, instead) if instead else change
    about = change_columns(comparison, judged, main, instead)
    fields += [field for field, _ in about]
    columns += [array for _, array in about]
    return pa.table(columns, schema=pa.schema(fields)).take(arrow_array(order))


def change_columns(
    comparison: Comparison, change: Change, main: str, instead: str = ""
) -> list[tuple[pa.Field, pa.Array]]:
    """Return the columns delta_pct, noise_pct and change of a main figure, with their fields.

    The fields name it, and the figure that stands in where it is 0 on both sides.
    """
    of = {b"figure": main.encode(), **({b"instead": instead.encode()} if instead else {})}
    values = (
        arrow_array(change.share(change.delta), nan_is_null=True),
        arrow_array(change.share(change.noise), nan_is_null=True),
        arrow_array(comparison.words(change), pa.utf8()),
    )
    fields = [column.field.with_metadata({**column.field.metadata, **of}) for column in CHANGE]
    return list(zip(fields, values, strict=True))


def _numbers(values: Floats, kind: pa.DataType) -> pa.Array:
    if pa.types.is_integer(kind):
        missing = np.isnan(values)
        whole = np.where(missing, 0, values).astype(np.int64)
        return arrow_array(whole, mask=missing)
    return arrow_array(values, nan_is_null=True)
