"""Keyword arguments of the views: a mistyped one is an error that names the likely one."""

from __future__ import annotations

from dataclasses import fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.filters.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Fields of a filter, which the views take as keyword arguments of their own.
FILTER_FIELDS: Final = tuple(field.name for field in fields(Filter))

#: Traits that can be given besides.
TRAITS: Final = (
    "group_by",
    "selection",
    "time_range",
    "time_unit",
    "window",
    "search",
    "step",
    "memory_device",
    "memory_by",
    "memory_range",
    "flame_by",
    "flame_order",
    "flame_range",
    "layout",
)


def split_options(options: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Take the filter fields out of keyword arguments.

    Parameters
    ----------
    options : dict
        Keyword arguments; the filter fields are removed from it.
    known : iterable of str
        Named arguments of the caller, for the error message.

    Returns
    -------
    dict
        The filter fields that were there.

    Raises
    ------
    TypeError
        An argument is unknown; the text names the closest one.
    """
    valid = [*known, *TRAITS, *FILTER_FIELDS]
    for name in options:
        if name not in valid:
            message = f"Unexpected keyword argument {name!r}.{closest(name, valid)}"
            raise TypeError(message)
    return {name: options.pop(name) for name in FILTER_FIELDS if name in options}


def closest(word: object, known: Iterable[str]) -> str:
    """Return a sentence that names the known word most like another; empty without one."""
    found = get_close_matches(str(word), list(known), 1)
    return f" Did you mean {found[0]!r}?" if found else ""
