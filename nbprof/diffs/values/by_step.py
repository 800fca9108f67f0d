"""`ByStep`: the values of every step of both sides, from which other steps are compared later.

A page has no traces. With the values of all steps it still compares under another filter of steps,
by the same medians as `Comparison`; under another filter of names, if that only chooses rows.
`js/src/views/diff/later/` does so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.steps.breakdown import steps_in_range
from nbprof.diffs.sides.used_steps import WHOLE, UsedSteps

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.diffs.sides.sides import Side, Sides
    from nbprof.diffs.values.cells import Cells

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AtBorders:
    """Idle times at the borders of steps, which the first and the last step that count cut.

    Attributes
    ----------
    windows : (ndarray, ndarray) of shape (steps,)
        Where the steps begin and end, in ns.
    row : ndarray of int64, shape (gaps,)
        Index of the key of each time if its cause is unknown.
    start, end : ndarray of int64, shape (gaps,)
        In ns.
    launch : ndarray of int64, shape (gaps,)
        When the work that ends it was launched, in ns; -1 if unknown.
    """

    windows: tuple[Rows, Rows]
    row: Rows
    start: Rows
    end: Rows
    launch: Rows


@dataclass(frozen=True)
class ByStep:
    """The values of a table's rows in every step in the range, complete or not.

    Attributes
    ----------
    cells : (list of Cells, list of Cells)
        The values of each worker of the baseline and of the candidate. Steps are numbered among
        those in the range; without steps, the recording is step 0.
    named : int or None
        Place in the keys of the name that a filter of names is matched against, if it does nothing
        but choose rows; None if it takes the traces to apply it.
    width : int or None
        How many keys make a row, if the others are only parts of it. The last step is then what ran
        outside of all steps.
    in_order : bool
        Whether rows stay in their order, whatever their changes.
    at_peak : str
        Word of the table of peaks that tells which step counts for each device: the one with the
        largest peak, instead of medians. Step -1 is then the whole range. Empty for other tables.
    borders : (list of AtBorders, list of AtBorders) or None
        Idle times of each worker that are not among the values, since their causes depend on which
        steps count. None for other tables.
    """

    cells: tuple[list[Cells], list[Cells]]
    named: int | None = None
    width: int | None = None
    in_order: bool = False
    at_peak: str = ""
    borders: tuple[list[AtBorders], list[AtBorders]] | None = None

    @classmethod
    def of(
        cls,
        sides: Sides,
        measure: Callable[..., Cells],
        *,
        named: int | None = None,
        width: int | None = None,
        in_order: bool = False,
        at_peak: str = "",
        **options: Any,
    ) -> ByStep:
        """Measure every step of both sides.

        Parameters
        ----------
        sides : Sides
            What is compared.
        measure : callable
            As for `DiffTableSpec`. The values of a step must not depend on which others are in the
            range, nor the order of the keys.
        named, width, in_order, at_peak : int, bool, str or None
            As above.
        **options
            Passed to `measure`.
        """
        baseline, candidate = (
            [
                measure(model, filter_, used, **options)
                for model, filter_, used in zip(
                    side.models, side.filters, steps_of(side, sides), strict=True
                )
            ]
            for side in (sides.baseline, sides.candidate)
        )
        cells = baseline, candidate
        return cls(cells, named, width, in_order=in_order, at_peak=at_peak)

    @property
    def is_noisy(self) -> bool:
        """Whether the spread over complete steps estimates the noise."""
        return all(one.complete > 0 for of in self.cells for one in of)


def steps_of(side: Side, sides: Sides) -> list[UsedSteps]:
    """Return all steps in the range for each trace of a side, as if all counted."""
    if not sides.per_step:
        return [WHOLE] * len(side.traces)
    found = []
    for model, filter_ in zip(side.models, side.filters, strict=True):
        chosen = np.flatnonzero(steps_in_range(model, filter_).chosen)
        found.append(UsedSteps(tuple(chosen.tolist()), complete=len(chosen)))
    return found
