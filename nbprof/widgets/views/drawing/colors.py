"""Colours of names, determined by the whole trace so that filters do not change them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model.filters.filter import Filter
from nbprof.model.links.module_tree import module_label
from nbprof.model.names import short_names
from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State

#: Number of names with their own colour slot; the others share slots by hash.
RANKED = 10

#: Number of lightness steps of kernels on a stream.
SHADES = 4


def ranked_names(session: Session, state: State, table: str) -> list[str]:
    """Return the names in a table of the unfiltered trace, the most expensive first."""
    whole = replace(state, filter=Filter())
    rows = session.table(whole, table, "name")
    ordered = pages.sort_rows(rows, groupings.first_sort(table, rows))
    found: list[str] = ordered["name"].slice(0, RANKED).to_pylist()
    return found


def slot_of(session: Session, state: State, table: str) -> Callable[[str], int]:
    """Return the function from names to colour slots of a table."""
    return short_names.color_slots(ranked_names(session, state, table))


def name_colors(
    session: Session, state: State, texts: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Return colour slots and shades of names for timeline and flame graph.

    Parameters
    ----------
    session, state : Session, State
        The trace.
    texts : sequence of str
        Full short_names.

    Returns
    -------
    slots : list of int
        0 to 9.
    shades : list of int
        0 to 3: lightness steps that distinguish kernels of the same colour.
    """
    known: dict[str, tuple[int, int]] = session.trace(state).model.cached("name colors", dict)
    new = [text for text in texts if text not in known]
    if new:
        slot = slot_of(session, state, "operators")
        known.update(
            (text, (slot(module_label(text)), short_names.fnv1a(text) % SHADES)) for text in new
        )
    colors = [known[text] for text in texts]
    return [slot for slot, _ in colors], [shade for _, shade in colors]
