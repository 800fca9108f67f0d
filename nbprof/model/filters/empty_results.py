"""Warns that a filter leaves nothing of a result, which would look as if it was not recorded."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nbprof.model.errors import FilterWarning
from nbprof.model.units import format_count

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter


def nothing_kept(what: str, filter_: Filter, rest: str = "", *, stacklevel: int = 2) -> None:
    """Warn that a result is empty because of a filter, which is named.

    Parameters
    ----------
    what : str
        Name of the empty result, such as a table.
    filter_ : Filter
        The filter that was applied.
    rest : str, optional
        What the result holds without the filter.
    stacklevel : int, optional
        As in `warnings.warn`, counted from the caller.
    """
    said = f"{what}: nothing is left under the filter ({named(filter_)})"
    message = f"{said}; without it there are {rest}." if rest else f"{said}."
    warnings.warn(message, FilterWarning, stacklevel=stacklevel + 1)


def rows_of(count: int) -> str:
    """Return a number of rows in words."""
    return format_count(count, "row")


def named(filter_: Filter) -> str:
    """Return a filter in words."""
    return ", ".join(text for _, text in filter_.describe())
