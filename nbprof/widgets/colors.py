"""The colour of every name: settled by the whole trace, so that no filter recolours anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model import names
from nbprof.model.filter import Filter
from nbprof.widgets import groupings, pages

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.widgets.session import Session, State

#: Names that are given a slot of their own; the rest share by their hash.
RANKED = 10


def ranked_names(session: Session, state: State, table: str) -> list[str]:
    """Return the names of a table of the unfiltered trace, the most expensive first."""
    whole = replace(state, filter=Filter())
    rows = session.table(whole, table, "name")
    ordered = pages.sort_rows(rows, groupings.first_sort(table, rows))
    found: list[str] = ordered["name"].slice(0, RANKED).to_pylist()
    return found


def slot_of(session: Session, state: State, table: str) -> Callable[[str], int]:
    """Return the function that gives a name its colour slot in a table."""
    return names.color_slots(ranked_names(session, state, table))


def row_slots(session: Session, state: State, table: str, rows: pa.Table) -> list[int]:
    """Return the colour slot of every row; none for tables whose rows have no colour."""
    if table not in groupings.GROUPINGS or not rows.num_rows:
        return []
    slot = slot_of(session, state, table)
    return [slot(name) for name in rows["name"].to_pylist()]
