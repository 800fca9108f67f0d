"""Finds the description of a table by name: one of traces and profiles, or one of a single view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.registry import imported
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.model.contract.spec import TableSpec

#: Tables that no trace has by itself: a view reads them, and only its panel requests them.
_OF_VIEWS: Final[Mapping[str, str]] = {
    "differences": "nbprof.widgets.views.diff.tables:ROWS_TABLE",
    "diff_tree": "nbprof.widgets.views.diff.tables:TREE_TABLE",
}


def spec_of(name: object) -> TableSpec | None:
    """Return the description of a table, None if there is none of that name."""
    if not isinstance(name, str):
        return None
    place = _OF_VIEWS.get(name)
    return TABLES.get(name) if place is None else imported(place)
