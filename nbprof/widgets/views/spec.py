"""`ViewSpec`: declares a view: its tab, tables, charts, requests, and saved data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from nbprof.widgets.requests import pages
from nbprof.widgets.views import groupings

if TYPE_CHECKING:
    import pyarrow as pa
    from bokeh.plotting import figure

    from nbprof.charts.cards.cards import Card, TableSource
    from nbprof.charts.chart import Chart
    from nbprof.export.summary_part import SummaryPart
    from nbprof.widgets.requests.operations import Operation
    from nbprof.widgets.saved.parts import SavedPart, SavePlan
    from nbprof.widgets.traits import Selection
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen
    from nbprof.widgets.views.table_readers import TableReader

#: The script of views that have none of their own: it draws cards, figures and tables.
GENERIC_SCRIPT: Final = "custom"


#: Types of fields, checked at run time because extensions may not use a type checker.
_KINDS: Final[Mapping[str, type]] = {
    "name": str,
    "title": str,
    "tables": tuple,
    "cards": Callable,  # type: ignore[dict-item]
    "figures": Callable,  # type: ignore[dict-item]
    "main_figures": tuple,
    "table": str,
    "needs": tuple,
    "script": str,
    "finds": tuple,
    "operations": Mapping,
    "readers": Mapping,
}


def _no_cards(tables: TableSource) -> Sequence[Card]:  # noqa: ARG001 - as all cards
    return ()


def _no_figures(screen: Screen, look: Look) -> Mapping[str, Chart | figure]:  # noqa: ARG001 - as all figures
    return {}


@dataclass(frozen=True)
class ViewSpec:
    """A view; the explorer, the view classes, pages, saved states and summaries derive from it.

    A view of tables and cards needs no more than a name, a title and these, and nothing in
    TypeScript: the generic panel draws it.

    Raises
    ------
    TypeError
        A field is not what it has to be.

    Parameters
    ----------
    name : str
        What ``show(view=...)`` and the trait ``active`` call it.
    title : str
        Label of its tab.
    tables : tuple of str, optional
        Tables that the generic panel shows under the cards; saved notebooks, pages and the static
        summary have them, too. Of several tables ``group_by`` says which one is behind
        ``view.table`` and the selection, and none of them can be grouped.
    cards : callable, optional
        ``cards(tables)`` returns the cards in their order. ``tables.table(name)`` is a table under
        the filter, ``tables.trace`` the trace.
    figures : callable, optional
        ``figures(screen, look)`` returns Bokeh figures, or charts (`nbprof.charts.Chart`), by name,
        beside those of the cards. ``screen.table(name)`` is a table under the filter; `look` has
        the theme, the unit of times and ``look.width(name)``.
    main_figures : tuple of str, optional
        Which figure is ``view.figure``: the first of these that is drawn, else the first of all.
    table : str, optional
        The table behind ``view.table`` and the selection; by default the first of `tables`.
    groupings : mapping of str to tuple of str, optional
        Values of ``group_by``, the default first, and the columns that tell rows apart under each.
        By default those of `table`.
    needs : tuple of str, optional
        Data that a trace must contain for it, by the names of
        `nbprof.widgets.hints.hints.holdings`; without it nothing of the view is kept.
    all_workers : bool, optional
        Whether it shows all workers of a run, so that all their traces are read for it.
    script : str, optional
        Name of the script that draws it in the browser.
    shows : {"", "slices", "launched"}, optional
        What it shows on request from another view: the slices of some names, or what a name
        launched.
    finds : tuple of str, optional
        Tables whose rows can be found in it, beside those that only it shows.
    of_modules : bool, optional
        Whether its rows have the names of modules.
    rows : callable, optional
        ``rows(screen, group_by, look)`` returns the table behind the view, where that is more than
        `table` as grouped.
    selected : callable, optional
        ``selected(screen, group_by, selection)`` returns what is selected, where that is no rows of
        the table.
    check_selection : callable, optional
        Returns a selection that it accepts, or raises TraitError; by default rows are named by the
        key columns.
    selects_in_trace : bool, optional
        Whether a selection means nothing in another trace.
    operations : mapping of str to Operation, optional
        What only this view asks for.
    readers : mapping of str to TableReader, optional
        Tables that are shown in another way than they are, by name.
    keeps : callable, optional
        ``keeps(plan)`` returns what saved notebooks and pages keep of it; by default cards and
        tables.
    summary : tuple of SummaryPart, optional
        Its parts of the static summary; by default cards and tables.
    """

    registry: ClassVar[str] = "nbprof.widgets.views.registry:VIEWS"

    name: str
    title: str
    tables: tuple[str, ...] = ()
    cards: Callable[[TableSource], Sequence[Card]] = _no_cards
    figures: Callable[[Screen, Look], Mapping[str, Chart | figure]] = _no_figures
    main_figures: tuple[str, ...] = ()
    table: str = ""
    groupings: Mapping[str, tuple[str, ...]] | None = None
    needs: tuple[str, ...] = ()
    all_workers: bool = False
    script: str = GENERIC_SCRIPT
    shows: Literal["", "slices", "launched"] = ""
    finds: tuple[str, ...] = ()
    of_modules: bool = False
    rows: Callable[[Screen, str, Look], pa.Table] | None = None
    selected: Callable[[Screen, str, Selection], pa.Table] | None = None
    check_selection: Callable[[Selection], Selection] | None = None
    selects_in_trace: bool = False
    operations: Mapping[str, Operation] = field(default_factory=dict)
    readers: Mapping[str, TableReader] = field(default_factory=dict)
    keeps: Callable[[SavePlan], Iterable[SavedPart]] | None = None
    summary: tuple[SummaryPart, ...] | None = None

    def __post_init__(self) -> None:
        """Check the types of fields, so that authors of views see mistakes early."""
        for name, kind in _KINDS.items():
            value: Any = getattr(self, name)
            if not isinstance(value, kind):
                message = f"{name} of a view is a {kind.__name__}, not {value!r}."
                raise TypeError(message)

    @property
    def main_table(self) -> str:
        """The table behind the view; empty if there is none."""
        return self.table or next(iter(self.tables), "")

    @property
    def ways(self) -> Mapping[str, tuple[str, ...]]:
        """Its groupings with their key columns, the default first; may be empty."""
        if self.groupings is not None:
            return self.groupings
        if self._has_parts:
            return {name: groupings.default_keys(name) for name in self.tables}
        return groupings.ways(self.main_table)

    @property
    def _has_parts(self) -> bool:
        """Whether ``group_by`` selects one of several tables."""
        return self.groupings is None and len(self.tables) > 1

    @property
    def first_way(self) -> str:
        """The default grouping; empty without any."""
        return next(iter(self.ways), "")

    def keys(self, group_by: str) -> tuple[str, ...]:
        """Return the key columns of its table."""
        return self.ways[group_by] if self.ways else groupings.keys(self.main_table, "")

    def read(self, screen: Screen, group_by: str, look: Look) -> pa.Table:
        """Return the table behind the view."""
        if self.rows is not None:
            return self.rows(screen, group_by, look)
        if self._has_parts:
            return screen.table(group_by)
        return screen.table(self.main_table, group_by)

    def read_selected(
        self, screen: Screen, group_by: str, look: Look, selection: Selection
    ) -> pa.Table:
        """Return the selected rows."""
        if self.selected is not None:
            return self.selected(screen, group_by, selection)
        return pages.matching_rows(self.read(screen, group_by, look), selection)
