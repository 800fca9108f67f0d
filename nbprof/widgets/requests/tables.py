"""``page``, ``stacks``, ``csv``: the tables, as far as the screen shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.filters.filter import Filter
from nbprof.widgets.hints import empty, hints
from nbprof.widgets.requests import flame as handlers_flame
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import PAGE_BYTES, rows_that_fit
from nbprof.widgets.requests.protocol import Reply, ReplyTooLargeError, RequestError
from nbprof.widgets.session import State
from nbprof.widgets.views import groupings, memory, module_rows
from nbprof.widgets.views.colors import row_slots

if TYPE_CHECKING:
    from nbprof.widgets.session import Progress, Session

#: Rows of a page: as asked for, at most.
DEFAULT_ROWS: Final = 100
MAX_ROWS: Final = 1000


class Asked:
    """The part of a table that a request is about, sorted and searched."""

    def __init__(self, session: Session, params: Mapping[str, Any], progress: Progress) -> None:
        self.session = session
        self.state = State.parse(params.get("state"))
        self.name = groupings.check_table(params.get("table"))
        self.group_by = groupings.check_grouping(self.name, params.get("group_by"))
        self.search = str(params.get("search") or "").strip()
        self.lens = memory.Lens.parse(params.get("memory"))
        self.flame = handlers_flame.wish(params.get("flame"))
        self.tree = module_rows.TreeWish.parse(params.get("tree"))
        self.table = self._read(self.state, progress)
        self.sort = _sort(params.get("sort"), self.name, self.table)
        self.trace = session.trace(self.state)
        key = (self.state.filter, self.name, self.group_by, self.sort, self.search, self.lens)
        self.found: pa.Table = session.cached(self.trace, (*key, self.tree, self.flame), self._find)

    def _find(self) -> pa.Table:
        if self.tree is not None and self.name == "modules":
            return module_rows.tree_lines(self.table, self.tree, self.sort)
        return pages.sort_rows(pages.search_rows(self.table, self.search), self.sort)

    def under(self, filter_: Filter) -> pa.Table:
        """Return the same table under another filter."""
        return self._read(replace(self.state, filter=filter_))

    def _read(self, state: State, progress: Progress | None = None) -> pa.Table:
        if self.name == "modules":
            return module_rows.with_share(self.session.table(state, self.name, "", progress))
        if self.name == "flame":
            return handlers_flame.frames(self.session, state, *self.flame)
        if self.name not in memory.OF_DEVICES:
            return self.session.table(state, self.name, self.group_by, progress)
        table = self.lens.table(self.session, state, self.name, progress)
        if self.name == "memory_peak_holders":
            return memory.with_share(table, self.lens.peaks(self.session, state))
        return table

    def without_name(self) -> pa.Table:
        """Return the table that the name filter and the search are applied to."""
        if self.state.filter.name is None:
            return self.table
        return self.under(self.state.filter.replace(name=None))


def page(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return some rows of a table, and what is to be said of all of them.

    ``rows`` may be fewer than ``limit``: what does not fit into one message is asked for again.
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
        "slots": row_slots(session, asked.state, asked.name, rows),
        "of": asked.table.num_rows,
        "match": pc.index(asked.found["match"], True).as_py() if asked.tree else -1,
        "maxima": pages.maxima(asked.table if asked.tree else asked.found),
        "hidden": hidden,
        "notes": hints.column_notes(asked.trace.model, hidden),
    }
    if asked.name == "memory_peak_holders":
        peaks = asked.lens.peaks(session, asked.state)
        result["peaks"] = peaks.select(["peak_bytes", "time_us"]).to_pylist()
    if not asked.found.num_rows:
        result["empty"] = why_empty(asked)
    return Reply(result, [data])


def stacks(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what opens under a row, the most expensive first.

    Under operators and kernels these are call stacks; under operators whose recorder tells what
    they consist of, their parts, and with ``input_shapes`` those of calls with such inputs.
    """
    name = params.get("name")
    if not isinstance(name, str):
        message = f"Stacks are of the name of an operator or kernel, not of {name!r}."
        raise RequestError(message)
    state = State.parse(params.get("state"))
    kind = groupings.check_table(params.get("table") or "operators")
    parts = _parts(session, state, params) if kind == "operators" else None
    if parts is not None:
        rows, data = rows_that_fit(
            pages.sort_rows(parts, groupings.first_sort("operator_parts", parts))
        )
        hint = {} if parts.num_rows else {"hint": "Nothing was recorded inside of it."}
        return Reply({"total": parts.num_rows, "rows": rows.num_rows, **hint}, [data])
    group_by = groupings.check_grouping(kind, "name+stack")
    table = session.table(state, kind, group_by, progress)
    found = table.filter(pc.equal(table["name"], name))
    found = pages.sort_rows(found, groupings.first_sort(kind, found))
    rows, data = rows_that_fit(found)
    result: dict[str, Any] = {"total": found.num_rows, "rows": rows.num_rows}
    model = session.trace(state).model
    if not hints.holdings(model)["stacks"]:
        result["hint"] = hints.hint(model, "stacks")
    return Reply(result, [data])


def _parts(session: Session, state: State, params: Mapping[str, Any]) -> pa.Table | None:
    """Return the parts of one operator; None where no operator has any."""
    shapes = params.get("input_shapes")
    table = session.table(state, "operator_parts", "name" if shapes is None else "name+shape")
    if not session.table(replace(state, filter=Filter()), "operator_parts").num_rows:
        return None
    keep = pc.equal(table["operator"], params["name"])
    if shapes is not None:
        keep = pc.and_(keep, pc.equal(pc.fill_null(table["input_shapes"], ""), str(shapes)))
    return table.filter(keep)


def csv(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what a table shows as CSV that no spreadsheet runs.

    With ``part`` among the parameters, the text comes in ``parts`` pieces, one a request.
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
    """Say why a table has no rows, and what would bring some."""
    if asked.table.num_rows:
        rows = asked.table.num_rows
        return empty.no_search_match(asked.name, asked.search, rows, asked.state.filter)
    if asked.lens != asked.lens.whole() and asked.name in memory.OF_DEVICES:
        rows = asked.lens.whole().table(asked.session, asked.state, asked.name).num_rows
        if rows:
            return empty.nothing_in_range(asked.name, rows, sizes=asked.lens.sizes is not None)
    return empty.no_rows(asked.name, asked.trace.model, asked.state.filter, asked.under)


def _sort(wish: object, name: str, table: pa.Table) -> tuple[str, str] | None:
    """Return column and direction; a column that this grouping lacks gives way to the default."""
    if not wish:
        return groupings.first_sort(name, table)
    if not isinstance(wish, Sequence) or isinstance(wish, str) or len(wish) != 2:
        message = f"A sort order is a column and a direction, not {wish!r}."
        raise RequestError(message)
    column, direction = wish
    if direction not in ("asc", "desc"):
        message = f"Rows are sorted asc or desc, not {direction!r}."
        raise RequestError(message)
    if column not in table.column_names:
        return groupings.first_sort(name, table)
    return str(column), str(direction)


def _count(value: object, default: int) -> int:
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        message = f"A number of rows is a whole number from 0, not {value!r}."
        raise RequestError(message)
    return value
