"""`DiffTableSpec`: declares a table that compares two sides; methods and documentation derive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns, pct, text
from nbprof.model.contract.spec import Option, TableSpec
from nbprof.model.contract.table import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.diffs.values.by_step import ByStep
    from nbprof.diffs.values.cells import Cells

#: Values of the column ``change``.
ADDED, REMOVED, UP, DOWN, SAME = "added", "removed", "up", "down", "same"

_SIDES: Final = {
    "baseline": "In the baseline: {}",
    "candidate": "In the candidate: {}",
    "delta": "Candidate minus baseline: {}",
}


@dataclass(frozen=True)
class Figure:
    """A figure that both sides of a table have.

    Parameters
    ----------
    name : str
        Name with its unit as suffix, such as ``device_self_us``.
    unit : str
        ``"us"``, ``"bytes"``, ``"%"`` or empty.
    meaning : str
        One line about the figure of one side.
    type : pyarrow.DataType, optional
        float64, since medians of whole numbers need not be whole; int64 for sizes without medians.
    instead : str, optional
        The figure that says what became of rows in which this one is 0 on both sides, such as the
        host time of rows that launch nothing.
    """

    name: str
    unit: str
    meaning: str
    type: pa.DataType = field(default_factory=pa.float64)
    instead: str = ""

    @property
    def columns(self) -> Columns:
        """The columns of both sides and of the difference."""
        return tuple(
            Column(f"{side}_{self.name}", self.type, self.unit, meaning.format(self.meaning))
            for side, meaning in _SIDES.items()
        )


#: The columns about the difference in a table's main figure.
CHANGE: Final[Columns] = (
    pct(
        "delta_pct",
        "Difference in the main figure, as a share of the baseline; empty if that is 0. Of rows "
        "without device time on either side it is that in host time, and so are the next two.",
    ),
    pct(
        "noise_pct",
        "Standard error of that difference from the spread over steps, as a share of the baseline; "
        "empty with fewer than three complete steps on a side.",
    ),
    text(
        "change",
        "added or removed: on one side only; up or down; same: the difference is at most twice the "
        "noise or, without an estimate of it, 0, or fewer than half of the steps have the row.",
    ),
)


@dataclass(frozen=True)
class DiffTableSpec(TableSpec):
    """A table that compares two sides.

    It takes the parameters of `TableSpec`, of which `make` is called with the `Sides`:
    ``make(sides, **options)``.

    Parameters
    ----------
    figures : tuple of Figure, optional
        The figures compared, the main one first. Their columns are added to `columns`.
    measure : callable, optional
        Returns the values of one trace: ``measure(model, filter, used_steps, **options)`` returns
        `Cells`, without the option ``figure``. Limits of the gate are computed from it.
    worst : bool, optional
        Whether the figures of several workers are those of the worker with the largest one, instead
        of means.
    by : mapping of str to mapping, optional
        Words of ``--by``, and of limits, for the table, with the options that each stands for.
    by_step : callable, optional
        ``by_step(sides, **options)`` returns the values of every step as a `ByStep`, from which a
        page compares under other filters without the traces; None if it takes the traces.
    of_calls : tuple of str or None
        Kinds of calls of the aligned trees that are its rows, of which a page makes them under
        another filter of steps; empty for all kinds. None for other tables.
    """

    registry: ClassVar[str] = "nbprof.diffs:DIFF_TABLES"

    figures: tuple[Figure, ...] = ()
    measure: Callable[..., Cells] | None = None
    worst: bool = False
    by: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_step: Callable[..., ByStep | None] | None = None
    of_calls: tuple[str, ...] | None = None


def figure_option(figures: tuple[Figure, ...]) -> Option:
    """Return the option that chooses the main figure of a table."""
    return Option(
        "figure",
        None,
        "The main figure, for the columns delta_pct, noise_pct and change and for the order of "
        "rows; by default the first that both sides have.",
        choices=tuple(figure.name for figure in figures),
        annotation="str | None",
    )


def compared(figures: tuple[Figure, ...]) -> Columns:
    """Return the columns of figures on both sides, and those of the change."""
    return (*(column for figure in figures for column in figure.columns), *CHANGE)
