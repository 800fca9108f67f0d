"""The colour of every name: settled by the whole trace, so that no filter recolours anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model.filters.filter import Filter
from nbprof.model.links.module_tree import module_label
from nbprof.model.names import names
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from nbprof.widgets.session import Session, State

#: Names that are given a slot of their own; the rest share by their hash.
RANKED = 10

#: Lightness steps of kernels on a stream.
SHADES = 4


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


def name_colors(
    session: Session, state: State, texts: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Return how timeline and flame graph colour names: slots as operators have them, and shades.

    Parameters
    ----------
    session, state : Session, State
        The trace.
    texts : sequence of str
        Full names.

    Returns
    -------
    slots : list of int
        0 to 9.
    shades : list of int
        0 to 3: lightness steps that tell kernels apart, which have one colour otherwise.
    """
    known: dict[str, tuple[int, int]] = session.trace(state).model.cached("name colors", dict)
    new = [text for text in texts if text not in known]
    if new:
        slot = slot_of(session, state, "operators")
        known.update((text, (slot(module_label(text)), names.fnv1a(text) % SHADES)) for text in new)
    found = [known[text] for text in texts]
    return [slot for slot, _ in found], [shade for _, shade in found]


def row_slots(session: Session, state: State, table: str, rows: pa.Table) -> list[int]:
    """Return the colour slot of every row; none for tables whose rows have no colour."""
    if table == "modules":
        return name_colors(session, state, rows["name"].to_pylist())[0]
    if "name" not in groupings.groupings_of(table) or not rows.num_rows:
        return []
    slot = slot_of(session, state, table)
    return [slot(name) for name in rows["name"].to_pylist()]
