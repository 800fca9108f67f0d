"""Adds tables to saved state: as many rows as fit, and facts about the whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array, table_of
from nbprof.model.filters.filter import Filter
from nbprof.model.units import format_number
from nbprof.widgets.hints.empty_tables import nouns
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.tables import Asked, why_empty
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.session.session import Session

#: Additional column of saved tables: the colour slot of each row.
SLOT: Final = "nbprof:slot"

#: Said once where charts cannot show what the filter leaves out.
NO_CONTEXT: Final = "Some charts show only what is in the filter."

#: Minimum number of rows; a table is left out if fewer would fit.
_LEAST_ROWS: Final = 20

#: Number of attempts with fewer and fewer rows before a table is left out.
_TRIES: Final = 4


def add_table(
    writer: StateWriter,
    session: Session,
    params: Mapping[str, Any],
    *,
    most_rows: int,
    share: float = 1.0,
    context: str = "",
) -> bool:
    """Add a table, or its first rows if it does not fit; return whether any rows were added.

    Missing rows are listed in ``left_out``.

    Parameters
    ----------
    writer : StateWriter
        Gets the table.
    session : Session
        Source of the table.
    params : mapping
        Parameters of a request for a page of the table.
    most_rows : int
        Maximum number of rows.
    share : float
        Maximum share of the remaining size.
    context : str
        What is picked in the charts that show this table around the filtered one; see
        `nbprof.charts.cards.cards.CONTEXT`. Empty for the filtered table.
    """
    asked = Asked(session, params, _no_progress)
    name = f"{context_name(context)}table:{asked.name}:{asked.group_by}"
    table = _with_slots(asked)
    count = min(table.num_rows, most_rows)
    room = int(writer.room * share)
    about = _table_facts(asked)
    for _ in range(_TRIES):
        data = to_ipc(_rows_to_save(table, asked, count))
        size = writer.size_of(name, about, [data])
        if size <= room:
            writer.add(name, about, [data])
            if count < table.num_rows and not context:
                some, every = format_number(count), format_number(table.num_rows)
                writer.leave_out(
                    f"{words(asked.name, asked.group_by)}: {some} of {every} rows are included."
                )
            return True
        count = min(count * 3 // 4, int(count * room / size * 0.9))
        if count < _LEAST_ROWS:
            break
    if context:
        writer.leave_out(NO_CONTEXT)
        return False
    writer.leave_out(f"{words(asked.name, asked.group_by)} are left out.")
    return False


def context_name(picks: str) -> str:
    """Return the beginning of the names of tables that charts show around the filtered ones."""
    return f"{picks}:" if picks else ""


def words(name: str, group_by: str) -> str:
    """Return a title for the rows of a table: ``Operators by name and stack``."""
    _, many = nouns(name)
    if many == "rows":
        many = name.replace("_", " ")
    if name.startswith("memory_"):
        many = f"memory {many}"
    if group_by == groupings.check_grouping(name, ""):
        return many.capitalize()
    by = {"properties": "name and launch"}.get(group_by, group_by.replace("+", " and "))
    return f"{many.capitalize()} by {by}"


def _no_progress(done: int, total: int, text: str) -> None:
    """Ignore progress."""


def _table_facts(asked: Asked) -> dict[str, Any]:
    """Return a ``TableAbout`` of ``js/src/core/saved/savedstate.ts``."""
    table = asked.table
    unnamed = asked.without_name()
    additive = groupings.sums(asked.name)
    hidden = pages.hidden_columns(table)
    about: dict[str, Any] = {
        "table": asked.name,
        "group_by": asked.group_by,
        "nouns": nouns(asked.name),
        "rows": table.num_rows,
        "all": unnamed.num_rows,
        "sorts": list(groupings.sorts(asked.name)),
        "keys": groupings.keys_in(table.column_names, asked.name, asked.group_by),
        "hidden": hidden,
        "notes": asked.reader.column_notes(asked.screen, hidden),
        "maxima": pages.maxima(table),
        "sums": pages.sums(table, additive),
        "all_sums": pages.sums(unnamed, additive),
        "whole_sums": pages.sums(asked.under(Filter()), additive),
    }
    more = asked.reader.facts(table)
    if more:
        about["more"] = more
    if not table.num_rows:
        about["empty"] = why_empty(asked)
    return about


def _with_slots(asked: Asked) -> pa.Table:
    slots = asked.slots(asked.table)
    if not slots:
        return asked.table
    return asked.table.append_column(SLOT, arrow_array(slots, pa.int8()))


def _rows_to_save(table: pa.Table, asked: Asked, count: int) -> pa.Table:
    """Return the rows that come first on screen, in the order of the whole table.

    Ties in later sorts then have the same order as in Python.
    """
    if count >= table.num_rows:
        return table
    rows = asked.reader.rows_to_save(table, count)
    if rows is None:
        sort = groupings.first_sort(asked.name, asked.table)
        if sort is None:
            return table.slice(0, count)
        numbered = table_of({sort[0]: table[sort[0]], "row": np.arange(table.num_rows)})
        rows = np.sort(joined(pages.sort_rows(numbered, sort)["row"])[:count])
    return table.take(arrow_array(rows))
