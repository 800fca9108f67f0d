"""Makes the table of rows that both sides have in common by key: operators, kernels, …."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.diffs.values.comparison import Comparison, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.spec import Figure
    from nbprof.diffs.values.cells import Cells
    from nbprof.model.contract.columns import Columns


def keyed_table(
    sides: Sides,
    measure: Callable[..., Cells],
    keys: Columns,
    figures: tuple[Figure, ...],
    *,
    figure: str | None = None,
    noisy: bool = True,
    worst: bool = False,
    **options: Any,
) -> pa.Table:
    """Return the rows of both sides by key, the largest changes first.

    Parameters
    ----------
    sides : Sides
        What is compared.
    measure : callable
        Returns the values of one trace.
    keys : tuple of Column
        The key columns.
    figures : tuple of Figure
        The figures.
    figure : str, optional
        The main figure.
    noisy : bool
        Whether the spread over steps estimates the noise.
    worst : bool
        As for `DiffTableSpec`.
    **options
        Passed to `measure`.
    """
    comparison = Comparison.of(sides.cells(measure, worst=worst, **options), noisy=noisy)
    return rows_of(comparison, [key.field for key in keys], figures, figure=figure)
