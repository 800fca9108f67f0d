"""Warns that a filter left a result empty; puts filters into words for such messages."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nbprof.model.errors import FilterWarning
from nbprof.model.units import format_count

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter


def nothing_kept(what: str, filter_: Filter, rest: str = "", *, stacklevel: int = 2) -> None:
    """Warn that a result is empty because of a filter, and name the filter.

    Parameters
    ----------
    what : str
        Name of the empty result, such as a table.
    filter_ : Filter
        The filter that was applied.
    rest : str, optional
        What there is without the filter, as a clause such as "there are 12 rows".
    stacklevel : int, optional
        As in `warnings.warn`, counted from the caller.
    """
    warning = f"{what}: nothing is left under the filter ({filter_text(filter_)})"
    message = f"{warning}; without it {rest}." if rest else f"{warning}."
    warnings.warn(message, FilterWarning, stacklevel=stacklevel + 1)


def there_are(count: int, word: str) -> str:
    """Return how many of something there are, as a clause, such as ``"there is 1 row"``."""
    return f"there {'is' if count == 1 else 'are'} {format_count(count, word)}"


def filter_text(filter_: Filter) -> str:
    """Return a filter in words."""
    return ", ".join(text for _, text in filter_.describe())
