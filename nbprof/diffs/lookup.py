"""Finds a table of differences by the name of its method or by its word on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.diffs import DIFF_TABLES
from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.diffs.spec import DiffTableSpec


def words() -> dict[str, tuple[DiffTableSpec, Mapping[str, Any]]]:
    """Return the tables by word, with the options that the word stands for."""
    return {
        word: (spec, options) for spec in DIFF_TABLES.specs() for word, options in spec.by.items()
    }


def diff_table(name: str) -> tuple[DiffTableSpec, Mapping[str, Any]]:
    """Return a table and the options that its name stands for.

    Raises
    ------
    UnknownNameError
        There is no such table; the message lists the others.
    """
    if name in DIFF_TABLES:
        return DIFF_TABLES[name], {}
    known = words()
    if name not in known:
        every = [*known, *(one for one in DIFF_TABLES.names() if one not in known)]
        hint = did_you_mean(name, every)
        message = f"There are no differences by {name!r}; there are {', '.join(every)}.{hint}"
        raise UnknownNameError(message)
    return known[name]
