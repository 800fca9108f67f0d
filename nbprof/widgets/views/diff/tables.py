"""Reads the tables of the diff view: one by operator, kernel, …, and the tree of both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array, arrow_scalar, filled, table_of
from nbprof.model.contract.columns import text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.errors import NbprofError
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.views.diff.choices import CHOICES, PLACES, ROWS, TREE
from nbprof.widgets.views.diff.comparison import diff_table, difference
from nbprof.widgets.views.table_readers import TableReader
from nbprof.widgets.views.trees import TreeQuery, largest_change, tree_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.diffs.diff import Diff
    from nbprof.widgets.session.session import Progress
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.table_readers import Sort

#: Columns after the main figure, about its change.
_CHANGE: Final = ("delta_pct", "noise_pct", "change")
#: The prefixes of the columns of a figure.
_SIDES: Final = ("baseline_", "candidate_", "delta_")
#: Values of ``change`` for rows that only one side has.
_ONE_SIDED: Final = ("added", "removed")

#: Between the names of a renamed row; `js/src/views/diff/tree.ts` has the same.
RENAMED: Final = " → "

NO_BASELINE: Final = {
    "title": "Nothing to compare with",
    "text": "Choose a baseline above.",
    "actions": [],
}


def _needs_both(*_: Any, **__: Any) -> pa.Table:
    message = "Differences are of two traces: nbprof.diff(baseline, candidate)."
    raise NbprofError(message)


ROWS_TABLE: Final = TableSpec(
    name=ROWS,
    summary="the differences between the baseline and the trace on screen",
    columns=(text("name", "Name of the row."),),
    make=_needs_both,
    groupings={word: choice.keys for word, choice in CHOICES.items()},
    nouns=("row", "rows"),
)

TREE_TABLE: Final = TableSpec(
    name=TREE,
    summary="the modules, operators and kernels of both sides, aligned level by level",
    columns=(text("name", "Name of the call."),),
    make=_needs_both,
    keys=("name",),
    nouns=("row", "rows"),
)


@dataclass(frozen=True)
class Part:
    """What of the differences a request is about, besides the grouping.

    Parameters
    ----------
    group_by : str
        The table, one of `CHOICES`.
    place : str
        Where rows that only one side has are listed, one of `PLACES`.
    """

    group_by: str
    place: str


class DiffReader(TableReader):
    """Reads one of the tables of differences, its main figure first."""

    def extra_of(self, params: Mapping[str, Any]) -> Part:
        """Return the place of rows that only one side has.

        Raises
        ------
        RequestError
            There is no such place.
        """
        place = params.get("ends") or PLACES[0]
        if place not in PLACES:
            message = f"Rows on one side are listed by {', '.join(PLACES)}, not {place!r}."
            raise RequestError(message)
        return Part(str(params.get("group_by") or next(iter(CHOICES))), str(place))

    def read(
        self,
        screen: Screen,
        name: str,  # noqa: ARG002 - it is the only one
        group_by: str,
        extra: Any,  # noqa: ARG002 - it only orders rows
        progress: Progress | None = None,
    ) -> pa.Table:
        """Return the differences under the filter on screen."""
        diff = difference(screen.session, screen.state, progress)
        if diff is None:
            return _nothing()
        return _main_first(diff_table(screen.session, screen.state, diff, group_by))

    def find(self, table: pa.Table, search: str, sort: Sort, extra: Any) -> pa.Table:
        """Return the matching rows; those that only one side has may come first or last."""
        found = super().find(table, search, sort, extra)
        if extra.place == PLACES[0] or "change" not in found.column_names:
            return found
        single = pc.is_in(found["change"], arrow_array(_ONE_SIDED, pa.utf8()))
        both = found.filter(pc.invert(single))
        ends = found.filter(single)
        return pa.concat_tables([ends, both] if extra.place == "first" else [both, ends])

    def facts(self, table: pa.Table) -> dict[str, Any]:
        """Return how many rows changed in which way."""
        return _changes_of(table)

    def column_notes(self, screen: Screen, hidden: list[str]) -> dict[str, str]:
        """Return why percentages and estimates of noise are empty."""
        return {**super().column_notes(screen, hidden), **_notes(screen)}

    def why_empty(self, screen: Screen, name: str, extra: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Explain that there is no baseline, or that a side lacks the data."""
        return _why_none(screen, extra.group_by)


class TreeReader(TableReader):
    """Reads the tree of both sides, as expanded lines on request."""

    def extra_of(self, params: Mapping[str, Any]) -> TreeQuery | None:
        """Return which lines are expanded; None for all rows."""
        return TreeQuery.parse(params.get("tree"))

    def read(
        self,
        screen: Screen,
        name: str,  # noqa: ARG002 - it is the only one
        group_by: str,  # noqa: ARG002 - it has no groupings
        extra: Any,  # noqa: ARG002 - it only expands rows
        progress: Progress | None = None,
    ) -> pa.Table:
        """Return the tree under the filter on screen."""
        diff = difference(screen.session, screen.state, progress)
        if diff is None:
            return _nothing()
        tree = diff_table(screen.session, screen.state, diff, "tree")
        return _kind_later(_main_first(_with_renames(tree)))

    def find(self, table: pa.Table, search: str, sort: Sort, extra: Any) -> pa.Table:
        """Return the lines on screen, or all rows that match."""
        if extra is None or "row" not in table.column_names:
            return super().find(table, search, sort, None)
        return tree_lines(table, extra, sort, ids=("row", "parent"), path=_path_of(table))

    def facts(self, table: pa.Table) -> dict[str, Any]:
        """Return where the tree opens at first: the path along the largest change."""
        return {"path": _path_of(table)}

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, extra: Any) -> dict[str, Any]:
        """Return also the first match of a search."""
        said = super().about(screen, table, found, extra)
        if extra is None or "match" not in found.column_names:
            return said
        return {**said, "match": pc.index(found["match"], arrow_scalar(value=True)).as_py()}

    def column_notes(self, screen: Screen, hidden: list[str]) -> dict[str, str]:
        """Return why percentages and estimates of noise are empty."""
        return {**super().column_notes(screen, hidden), **_notes(screen)}

    def why_empty(self, screen: Screen, name: str, extra: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Explain that there is no baseline, or that a side lacks the data."""
        return _why_none(screen, "tree")


def _path_of(table: pa.Table) -> list[int]:
    figure = main_figure(table)
    return largest_change(table, f"delta_{figure}") if figure else []


def _nothing() -> pa.Table:
    return table_of({"name": arrow_array([], pa.utf8())})


def _with_renames(table: pa.Table) -> pa.Table:
    """Return the tree with both names in the name of renamed rows, and that of the baseline."""
    names = table["name"]
    both = pc.binary_join_element_wise(
        names, table["candidate_name"], arrow_scalar(RENAMED, pa.utf8())
    )
    renamed = filled(pc.not_equal(names, table["candidate_name"]), value=False)
    at = table.schema.get_field_index("name")
    shown = table.set_column(at, table.schema.field(at), pc.if_else(renamed, both, names))
    return shown.append_column("baseline_name", names)


def main_figure(table: pa.Table) -> str:
    """Return the figure that the columns about the change are of; empty without any."""
    if "change" not in table.column_names:
        return ""
    return ((table.schema.field("change").metadata or {}).get(b"figure") or b"").decode()


def _main_first(table: pa.Table) -> pa.Table:
    """Return a table with its main figure and the change of it before the other figures."""
    figure = main_figure(table)
    if not figure:
        return table
    main = [f"{side}{figure}" for side in _SIDES]
    moved = [name for name in (*main, *_CHANGE) if name in table.column_names]
    rest = [name for name in table.column_names if name not in moved]
    at = next((i for i, name in enumerate(rest) if name.startswith(_SIDES)), len(rest))
    at = min(at, *(i for i, name in enumerate(table.column_names) if name in moved))
    return table.select([*rest[:at], *moved, *rest[at:]])


def _kind_later(table: pa.Table) -> pa.Table:
    """Return the tree with its kinds after the change, which narrow cells have room for."""
    names = [name for name in table.column_names if name != "kind"]
    at = names.index("change") + 1 if "change" in names else 0
    return table.select([*names[:at], "kind", *names[at:]]) if at else table


def _changes_of(table: pa.Table) -> dict[str, Any]:
    """Return the numbers of rows by how they changed, for a page; nothing for other tables."""
    if "change" not in table.column_names:
        return {}
    changes = np.array(table["change"].to_pylist(), object)
    kinds = ("added", "removed", "up", "down", "same")
    return {"changes": {kind: int((changes == kind).sum()) for kind in kinds}}


def _why_none(screen: Screen, name: str) -> dict[str, Any]:
    """Explain why a table of differences has no rows."""
    diff = difference(screen.session, screen.state)
    if diff is None:
        return NO_BASELINE
    title = f"No {CHOICES[name].label.lower()} to compare" if name in CHOICES else "Nothing inside"
    said = _missing(diff, name)
    if not said and screen.state.filter:
        said = "Neither side has any under the filter."
    return {"title": title, "text": said or "Neither side has any.", "actions": []}


def _missing(diff: Diff, name: str) -> str:
    return diff.missing(name)


def _notes(screen: Screen) -> dict[str, str]:
    """Return why percentages and estimates of noise are empty."""
    diff = difference(screen.session, screen.state)
    noise = "There is no estimate for this row."
    if diff is not None and not diff.per_step:
        noise = "Whole recordings are compared: there are no steps to estimate the noise from."
    elif diff is not None and not diff.has_noise:
        few = " and ".join(map(str, diff.complete_steps))
        noise = f"It takes three complete steps on each side; there are {few}."
    return {"delta_pct": "The baseline is 0, so there is no percentage.", "noise_pct": noise}
