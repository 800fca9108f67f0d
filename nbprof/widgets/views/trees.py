"""Turns a table of modules or calls into the lines of a tree: expanded, sorted and searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from nbprof.model.building import arrow_array
from nbprof.model.filters.patterns import match_typed
from nbprof.widgets.requests.pages import sort_rows
from nbprof.widgets.requests.protocol import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Levels are expanded initially as long as there are at most this many rows.
_FIRST_LINES: Final = 14

Below = dict[int | None, list[int]]


@dataclass(frozen=True)
class TreeQuery:
    """The part of a tree that is expanded.

    Parameters
    ----------
    search : str
        Search text; ancestors of matches are expanded.
    everything : bool or None
        Expand all rows or none; None for the first levels.
    folds : tuple of (int, bool)
        Single rows that the user expanded or collapsed, by number.
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


def tree_lines(
    table: pa.Table,
    query: TreeQuery,
    sort: tuple[str, str] | None,
    *,
    ids: tuple[str, str] = ("module_id", "parent_id"),
    path: Sequence[int] = (),
) -> pa.Table:
    """Return the rows whose parents are all expanded.

    Parameters
    ----------
    table : pyarrow.Table
        Table ``modules``, or another tree whose rows have a name, a number and that of a parent.
    query : TreeQuery
        Selects expanded modules.
    sort : (str, str) or None
        Order among siblings; None for the order of the table.
    ids : (str, str), optional
        The columns with the number of a row and of its parent.
    path : sequence of int, optional
        Rows, each in the one before, that are expanded initially. Without a search, the last one is
        marked as the match.

    Returns
    -------
    pyarrow.Table
        The rows in order, with ``level`` from 1, ``expanded`` (null where nothing is inside) and
        ``match`` (whether the search finds the name).
    """
    names, numbers = table["name"].to_pylist(), table[ids[0]].to_pylist()
    parents = table[ids[1]].to_pylist()
    place = "nbprof:place"
    numbered = table.append_column(place, arrow_array(range(len(numbers)), pa.int64()))
    row_of = {module: row for row, module in enumerate(numbers)}
    below: Below = {}
    for row in sort_rows(numbered, sort)[place].to_pylist():
        # A row that the filter excludes is missing.
        below.setdefault(row_of.get(parents[row]), []).append(row)
    matches = match_typed(names, query.search).tolist()
    opened = _opened(below, query.everything)
    if path and query.everything is None:
        opened.update(row for row in path if row in below)
        matches[path[-1]] |= not query.search
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


def largest_change(
    table: pa.Table, figure: str, ids: tuple[str, str] = ("row", "parent")
) -> list[int]:
    """Return the path from the top to the row that explains most of the change.

    It goes on to the row with the largest difference as long as that is at least a quarter of the
    difference around it.

    Parameters
    ----------
    table : pyarrow.Table
        A tree of differences.
    figure : str
        The column of differences.
    ids : (str, str), optional
        As of `tree_lines`.
    """
    numbers, parents = (table[name].to_pylist() for name in ids)
    size = [abs(value or 0.0) for value in table[figure].to_pylist()]
    row_of = {number: row for row, number in enumerate(numbers)}
    below: Below = {}
    for row, parent in enumerate(parents):
        below.setdefault(row_of.get(parent), []).append(row)
    path: list[int] = []
    inside = below.get(None, [])
    while inside:
        row = max(inside, key=lambda one: size[one])
        least = size[path[-1]] / 4 if len(path) > 1 else 0.0
        if path and (size[row] == 0 or size[row] < least):
            break
        path.append(row)
        inside = below.get(row, [])
    return path


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
