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
    "content": tuple,
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
        A field has the wrong type.

    Parameters
    ----------
    name : str
        Name in ``show(view=...)`` and in the trait ``active``.
    title : str
        Label of its tab.
    tables : tuple of str, optional
        Tables that the generic panel shows under the cards; saved notebooks, pages and the static
        summary include them. If there are several, ``group_by`` selects the one behind
        ``view.table`` and the selection, and none of them can be grouped.
    cards : callable, optional
        ``cards(tables)`` returns the cards in screen order. ``tables.table(name)`` is a table under
        the filter, ``tables.trace`` the trace.
    figures : callable, optional
        ``figures(screen, look)`` returns Bokeh figures, or charts (`nbprof.charts.Chart`), by name,
        beside those of the cards. ``screen.table(name)`` is a table under the filter; `look` has
        the theme, the unit of times and ``look.width(name)``.
    main_figures : tuple of str, optional
        Names of figures for ``view.figure``: the first of these that is drawn, else the first of
        all.
    table : str, optional
        The table behind ``view.table`` and the selection; by default the first of `tables`.
    groupings : mapping of str to tuple of str, optional
        Values of ``group_by``, the default first, with the key columns of each. By default those of
        `table`.
    needs : tuple of str, optional
        Data that a trace must contain, by the names of `nbprof.widgets.hints.hints.holdings`;
        without it, nothing of the view is saved.
    content : tuple of str, optional
        Data of which a trace must contain one, by the same names, for the view to show anything;
        else its tab is muted. By default `needs`.
    optional : bool, optional
        Whether its tab is hidden, instead of muted, if a trace contains nothing of the content.
    all_workers : bool, optional
        Whether it shows all workers of a run, which requires reading all their traces.
    script : str, optional
        Name of the script that draws it in the browser.
    shows : {"", "slices", "launched", "allocated"}, optional
        Requests of other views that it answers: slices with given names, the kernels that a name
        launched, or memory over time.
    finds : tuple of str, optional
        Tables whose rows can be found in it, besides those that only it shows.
    of_modules : bool, optional
        Whether its rows have the names of modules.
    rows : callable, optional
        ``rows(screen, group_by, look)`` returns the table behind the view; by default `table` in
        its grouping.
    selected : callable, optional
        ``selected(screen, group_by, selection)`` returns the selected data; by default the selected
        rows of the table.
    check_selection : callable, optional
        Validates a selection and returns it, or raises TraitError; by default rows are selected by
        their key columns.
    selects_in_trace : bool, optional
        Whether a selection is meaningless in another trace.
    operations : mapping of str to Operation, optional
        Requests that only this view sends.
    readers : mapping of str to TableReader, optional
        Readers of tables that the view changes for the screen, by table name.
    keeps : callable, optional
        ``keeps(plan)`` returns its parts of saved notebooks and pages; by default cards and
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
    content: tuple[str, ...] = ()
    optional: bool = False
    all_workers: bool = False
    script: str = GENERIC_SCRIPT
    shows: Literal["", "slices", "launched", "allocated"] = ""
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
    def all_groupings(self) -> Mapping[str, tuple[str, ...]]:
        """Its groupings with their key columns, the default first; may be empty."""
        if self.groupings is not None:
            return self.groupings
        if self._has_parts:
            return {name: groupings.default_keys(name) for name in self.tables}
        return groupings.groupings_of(self.main_table)

    @property
    def _has_parts(self) -> bool:
        """Whether ``group_by`` selects one of several tables."""
        return self.groupings is None and len(self.tables) > 1

    @property
    def default_grouping(self) -> str:
        """The default grouping; empty without any."""
        return next(iter(self.all_groupings), "")

    def keys(self, group_by: str) -> tuple[str, ...]:
        """Return the key columns of its table."""
        return (
            self.all_groupings[group_by]
            if self.all_groupings
            else groupings.keys(self.main_table, "")
        )

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
