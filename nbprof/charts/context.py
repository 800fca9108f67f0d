"""Adds the rows that a filter leaves out back to a table, for charts that show them muted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.charts.marks import BoxMark, Source
from nbprof.model.arrays import floats_of
from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

#: Opacity of muted shapes: a veil in the colour of the background covers them.
MUTED: Final = 0.3


def among(kept: pa.Table, whole: pa.Table | None, key: str) -> tuple[pa.Table, NDArray[np.bool_]]:
    """Return a filtered table together with the rows that the filter leaves out.

    Parameters
    ----------
    kept : pyarrow.Table
        The table under the filter.
    whole : pyarrow.Table or None
        The table without the filter; None if nothing is filtered.
    key : str
        Column of numbers that identifies the items of the chart, such as ``step``.

    Returns
    -------
    table : pyarrow.Table
        All rows of `kept`, and those of `whole` whose key is not in `kept`, by ascending key.
    outside : ndarray of bool, shape (rows,)
        Which rows are not in `kept`.
    """
    if whole is None or whole is kept:
        return kept, np.zeros(kept.num_rows, np.bool_)
    own, all_ = floats_of(kept[key]), floats_of(whole[key])
    left_out = np.flatnonzero(~np.isin(all_, own) & ~np.isnan(all_))
    outside = np.repeat([False, True], [len(own), len(left_out)])
    order = np.argsort(np.concatenate([own, all_[left_out]]), kind="stable")
    more = whole.take(arrow_array(left_out))
    table = pa.concat_tables([kept, more.select(kept.column_names)]).combine_chunks()
    return table.take(arrow_array(order)), outside[order]


def shown_names(
    ranked: Sequence[tuple[str, float]], most: int, kept: Collection[str] | None
) -> list[tuple[str, float]]:
    """Return the names that a chart shows: the largest ones, then the largest others in the filter.

    A filter moves nothing: names shown without it stay, and more names of the filter follow them.

    Parameters
    ----------
    ranked : sequence of (str, float)
        Names and values without the filter, largest first.
    most : int
        Maximum number of names; under a filter, twice as many.
    kept : collection of str or None
        The names in the filter; None if names are not filtered.
    """
    more = [one for one in ranked[most:] if kept is not None and one[0] in kept]
    return [*ranked[:most], *more[:most]]


def veil(rows: Iterable[tuple[float, float, float, float]]) -> BoxMark:
    """Return the mark that mutes the shapes below it.

    Parameters
    ----------
    rows : iterable of (float, float, float, float)
        Left, right, lower and upper edge of each box.
    """
    boxes = np.array(list(rows), np.float64).reshape(-1, 4)
    edges = ("left", "right", "bottom", "top")
    columns: dict[str, Any] = {name: boxes[:, at] for at, name in enumerate(edges)}
    return BoxMark(Source("veil", columns | {"color": ["background"] * len(boxes)}), veiled=True)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and the last index of each run of True."""
    padded = np.concatenate([[False], flags, [False]]).astype(np.int8)
    changes = np.flatnonzero(np.diff(padded))
    return [(int(a), int(b) - 1) for a, b in zip(changes[::2], changes[1::2], strict=True)]
