"""Handlers of ``page``, ``stacks`` and ``csv``: pages of tables, expanded rows, and CSV."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.analysis.operators.frame_tree import frame_tree
from nbprof.model.building import arrow_scalar, filled
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from nbprof.widgets.hints import empty_tables, hints
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import PAGE_BYTES, rows_that_fit
from nbprof.widgets.requests.conditions import parse_conditions
from nbprof.widgets.requests.protocol import (
    Reply,
    ReplyTooLargeError,
    RequestError,
    text_of,
)
from nbprof.widgets.session.state import State
from nbprof.widgets.views import groupings
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.shares import share_bases, with_shares
from nbprof.widgets.views.table_readers import TableReader

if TYPE_CHECKING:
    from nbprof.widgets.session.session import Progress, Session

#: Default and maximum number of rows of a page.
DEFAULT_ROWS: Final = 100
MAX_ROWS: Final = 1000


class Asked:
    """The table that a request refers to, with its search and sort order."""

    def __init__(self, session: Session, params: Mapping[str, Any], progress: Progress) -> None:
        self.session = session
        self.state = State.parse(params.get("state"))
        self.name = groupings.check_table(params.get("table"))
        self.group_by = groupings.check_grouping(self.name, params.get("group_by"))
        self.search = str(params.get("search") or "").strip()
        self.screen = Screen(session, self.state)
        self.reader = _reader_of(self.name)
        self.extra = self.reader.extra_of(params)
        self.table = self._read(self.screen, progress)
        self.shares = bool(params.get("shares"))
        if self.shares:
            self.table = with_shares(self.name, self.table, self.under(Filter()))
        self.sort = _sort(params.get("sort"), self.name, self.table)
        self.trace = session.trace(self.state)
        rows = (self.state.filter, self.name, self.group_by, self.shares, self.extra)
        key = (*rows, self.sort, self.search)
        self.found: pa.Table = session.cached(self.trace, key, self._find)

    def _find(self) -> pa.Table:
        return self.reader.find(self.table, self.search, self.sort, self.extra)

    def under(self, filter_: Filter) -> pa.Table:
        """Return the same table under another filter."""
        return self._read(Screen(self.session, replace(self.state, filter=filter_)))

    def _read(self, screen: Screen, progress: Progress | None = None) -> pa.Table:
        return self.reader.read(screen, self.name, self.group_by, self.extra, progress)

    def slots(self, rows: pa.Table) -> list[int]:
        """Return the colour slots of rows; empty if rows have no colour."""
        return self.reader.slots(self.screen, self.name, rows)

    def without_name(self) -> pa.Table:
        """Return the table before the name filter and the search are applied."""
        if self.state.filter.name is None:
            return self.table
        return self.under(self.state.filter.replace(name=None))


def page(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return rows of a table, and information about all its rows.

    There may be fewer ``rows`` than ``limit``: the browser requests the rest separately.
    """
    asked = Asked(session, params, progress)
    offset = _count(params.get("offset"), 0)
    limit = min(_count(params.get("limit"), DEFAULT_ROWS), MAX_ROWS)
    rows, data = rows_that_fit(asked.found.slice(offset, limit))
    unnamed = asked.without_name()
    additive = groupings.sums(asked.name)
    shown_sums = pages.sums(asked.found, additive)
    hidden = pages.hidden_columns(asked.table)
    result: dict[str, Any] = {
        "total": asked.found.num_rows,
        "calls": shown_sums.get("calls"),
        "all": unnamed.num_rows,
        "rows": rows.num_rows,
        "offset": offset,
        "sort": list(asked.sort) if asked.sort else None,
        "group_by": asked.group_by,
        "keys": groupings.keys_in(asked.table.column_names, asked.name, asked.group_by),
        "sums": shown_sums,
        "all_sums": pages.sums(unnamed, additive),
        "slots": asked.slots(rows),
        "of": asked.table.num_rows,
        "shares": share_bases(asked.name, unnamed),
        "hidden": hidden,
        "notes": asked.reader.column_notes(asked.screen, hidden),
        **asked.reader.facts(asked.table),
        **asked.reader.about(asked.screen, asked.table, asked.found, asked.extra),
    }
    conditions = parse_conditions(asked.search, asked.table)
    if conditions:
        result["conditions"] = [[one.column, one.operator, one.value] for one in conditions]
    if not asked.found.num_rows:
        result["empty"] = why_empty(asked)
    return Reply(result, [data])


def stacks(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the lines under a row, the most expensive first.

    Rows expand to their parts if the table has a table of parts and the trace has any, with
    ``input_shapes`` only to those of calls with these inputs; otherwise to the tree of their call
    stacks.
    """
    name = text_of("name", params.get("name"))
    state = State.parse(params.get("state"))
    kind = groupings.check_table(params.get("table"))
    parts_table = TABLES[kind].parts_table
    parts = _parts(session, state, params, parts_table) if parts_table else None
    if parts is not None:
        order = groupings.first_sort(parts_table, parts)
        rows, data = rows_that_fit(pages.sort_rows(parts, order))
        hint = {} if parts.num_rows else {"hint": "Nothing was recorded inside."}
        return Reply({"total": parts.num_rows, "rows": rows.num_rows, **hint}, [data])
    group_by = groupings.check_grouping(kind, "name+stack")
    table = session.table(state, kind, group_by, progress)
    found = table.filter(pc.equal(table["name"], arrow_scalar(name)))
    lines = frame_tree(found, groupings.first_sort(kind, found))
    rows, data = rows_that_fit(lines)
    result: dict[str, Any] = {"total": lines.num_rows, "rows": rows.num_rows}
    model = session.trace(state).model
    if not hints.holdings(model)["stacks"]:
        result["hint"] = hints.hint(model, "stacks")
    return Reply(result, [data])


def _parts(
    session: Session, state: State, params: Mapping[str, Any], parts_table: str
) -> pa.Table | None:
    """Return the parts of one row; None if no row has parts."""
    shapes = params.get("input_shapes")
    if shapes is not None:
        shapes = text_of("input_shapes", shapes)
    table = session.table(state, parts_table, "name" if shapes is None else "name+shape")
    if not session.table(replace(state, filter=Filter()), parts_table).num_rows:
        return None
    keep = pc.equal(table["operator"], arrow_scalar(params["name"]))
    if shapes is not None:
        keep = pc.and_(keep, pc.equal(filled(table["input_shapes"], ""), arrow_scalar(shapes)))
    return table.filter(keep)


def csv(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return a table as CSV with formulas neutralised.

    With the parameter ``part``, the text is sent in ``parts`` pieces, one per request.
    """
    from nbprof.export.csv import csv_text

    asked = Asked(session, params, progress)
    text = csv_text(asked.found, safe=True).encode()
    parts = max(1, -(-len(text) // PAGE_BYTES))
    part = params.get("part")
    if part is None:
        if parts > 1:
            message = f"The CSV takes {len(text) / 2**20:.1f} MiB, too much for one message."
            raise ReplyTooLargeError(message)
        part = 0
    number = _count(part, 0)
    piece = text[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]
    words = (asked.trace.run, asked.trace.worker, asked.name)
    filename = "-".join(re.sub(r"[^\w.-]+", "_", word).strip("._") for word in words) + ".csv"
    result = {
        "filename": filename.lstrip("-"),
        "rows": asked.found.num_rows,
        "part": number,
        "parts": parts,
    }
    return Reply(result, [piece])


def why_empty(asked: Asked) -> dict[str, Any]:
    """Explain why a table has no rows, and which filter changes would bring some."""
    if asked.table.num_rows:
        rows = asked.table.num_rows
        return empty_tables.no_search_match(asked.name, asked.search, rows, asked.state.filter)
    said = asked.reader.why_empty(asked.screen, asked.name, asked.extra)
    if said is not None:
        return said
    return empty_tables.no_rows(asked.name, asked.trace.model, asked.state.filter, asked.under)


def _reader_of(table: str) -> TableReader:
    """Return the reader of a table for the screen: that of the view that customizes it, if any.

    Views of other packages decide about tables of other packages only.
    """
    all_ = not TABLES.is_own(table)
    views = (view for view in VIEWS.specs() if all_ or VIEWS.is_own(view.name))
    readers = (view.readers.get(table) for view in views)
    return next(filter(None, readers), TableReader())


def _sort(order: object, name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return column and direction; a column that the grouping lacks is replaced by the default."""
    if not order:
        return groupings.first_sort(name, table)
    if not isinstance(order, Sequence) or isinstance(order, str) or len(order) != 2:
        message = f"A sort order must be a column and a direction, not {order!r}."
        raise RequestError(message)
    column, direction = order
    if direction not in ("asc", "desc"):
        message = f"A sort direction must be asc or desc, not {direction!r}."
        raise RequestError(message)
    if column not in table.column_names:
        return groupings.first_sort(name, table)
    return str(column), str(direction)


def _count(value: object, default: int) -> int:
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        message = f"A number of rows must be an integer >= 0, not {value!r}."
        raise RequestError(message)
    return value
