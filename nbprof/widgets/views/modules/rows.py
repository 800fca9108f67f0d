"""Turns the table ``modules`` into the lines of a tree: expanded, sorted and searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array, filled
from nbprof.model.filters.patterns import match_typed
from nbprof.widgets.requests.pages import sort_rows
from nbprof.widgets.requests.protocol import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Levels are expanded initially as long as there are at most this many rows.
_FIRST_LINES: Final = 14

Below = dict[int | None, list[int]]


@dataclass(frozen=True)
class TreeQuery:
    """The part of the module tree that is expanded.

    Parameters
    ----------
    search : str
        Search text; ancestors of matches are expanded.
    everything : bool or None
        Expand all modules or none; None for the first levels.
    folds : tuple of (int, bool)
        Single modules that the user expanded or collapsed, by number.
    """

    search: str = ""
    everything: bool | None = None
    folds: tuple[tuple[int, bool], ...] = ()

    @classmethod
    def parse(cls, plain: object) -> TreeQuery | None:
        """Read the ``tree`` of a request; None without one.

        Raises
        ------
        RequestError
            It is not an object of search, all and folds.
        """
        if plain is None:
            return None
        given: Mapping[str, Any] = plain if isinstance(plain, Mapping) else {"folds": plain}
        folds = given.get("folds") or {}
        if not isinstance(folds, Mapping) or not all(str(key).isdecimal() for key in folds):
            message = f"A tree is requested with search, all and folds, not as {plain!r}."
            raise RequestError(message)
        return cls(
            str(given.get("search") or "").strip(),
            None if given.get("all") is None else bool(given["all"]),
            tuple(sorted((int(key), bool(is_open)) for key, is_open in folds.items())),
        )


def with_share(table: pa.Table) -> pa.Table:
    """Return the table ``modules`` with the share of each module in the total time.

    It is the time of forward and backward pass, on the device if anything ran there.
    """
    known = pc.is_in(table["parent_id"], value_set=table["module_id"].combine_chunks())
    top = pc.invert(known)
    for side in ("device", "host"):
        columns = [table[f"{side}_total_us"], table[f"backward_{side}_us"]]
        time = pc.add(*(filled(column, 0.0) for column in columns))
        total = pc.sum(pc.filter(time, top)).as_py() or 0.0
        if total > 0 or side == "host":
            break
    percent = 100.0 * (joined(time) / (total or np.nan))
    meaning = f"{side.capitalize()} time, forward and backward, as a share of all modules."
    metadata = {"unit": "%", "meaning": meaning}
    share = arrow_array(percent, pa.float64(), nan_is_null=True)
    return table.append_column(pa.field("share_pct", pa.float64(), metadata=metadata), share)


def tree_lines(table: pa.Table, query: TreeQuery, sort: tuple[str, str] | None) -> pa.Table:
    """Return the modules whose parents are all expanded.

    Parameters
    ----------
    table : pyarrow.Table
        Table ``modules``.
    query : TreeQuery
        Selects expanded modules.
    sort : (str, str) or None
        Order among siblings; None for the order of the table.

    Returns
    -------
    pyarrow.Table
        The rows in order, with ``level`` from 1, ``expanded`` (null where nothing is inside) and
        ``match`` (whether the search finds the name).
    """
    names, ids = table["name"].to_pylist(), table["module_id"].to_pylist()
    parents = table["parent_id"].to_pylist()
    numbered = table.append_column("row", arrow_array(range(len(ids)), pa.int64()))
    row_of = {module: row for row, module in enumerate(ids)}
    below: Below = {}
    for row in sort_rows(numbered, sort)["row"].to_pylist():
        # A module that the filter excludes has no row.
        below.setdefault(row_of.get(parents[row]), []).append(row)
    matches = match_typed(names, query.search).tolist()
    opened = _opened(below, query.everything)
    for row, found in enumerate(matches):
        up = row_of.get(parents[row]) if found else None
        while up is not None:
            opened.add(up)
            up = row_of.get(parents[up])
    for module, is_open in query.folds:
        if module in row_of:
            (opened.add if is_open else opened.discard)(row_of[module])
    lines = list(_visible(below, opened))
    rows = [row for row, _ in lines]
    more = {
        "level": arrow_array([level for _, level in lines], pa.int32()),
        "expanded": arrow_array(
            [row in opened if row in below else None for row in rows], pa.bool_()
        ),
        "match": arrow_array([matches[row] for row in rows], pa.bool_()),
    }
    found = table.take(arrow_array(rows, pa.int64()))
    for name, column in more.items():
        found = found.append_column(name, column)
    return found


def _opened(below: Below, everything: bool | None) -> set[int]:
    """Return the rows expanded initially."""
    parents = {row for row in below if row is not None}
    if everything is not None:
        return parents if everything else set()
    opened: set[int] = set()
    level = below.get(None, [])
    lines = len(level)
    while level:
        inside = [row for parent in level for row in below.get(parent, [])]
        lines += len(inside)
        if lines > _FIRST_LINES:
            break
        opened |= parents.intersection(level)
        level = inside
    return opened


def _visible(below: Below, opened: set[int]) -> Iterator[tuple[int, int]]:
    """Return rows and their levels in reading order."""
    waiting = [(row, 1) for row in reversed(below.get(None, []))]
    while waiting:
        row, level = waiting.pop()
        yield row, level
        if row in opened:
            waiting += [(inside, level + 1) for inside in reversed(below.get(row, []))]
