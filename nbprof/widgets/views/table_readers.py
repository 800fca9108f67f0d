"""`TableReader`: reads a table for the screen; views derive readers that narrow or colour it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.widgets.hints import hints
from nbprof.widgets.requests import pages
from nbprof.widgets.views.drawing import colors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from nbprof.widgets.session.session import Progress
    from nbprof.widgets.views.drawing.screen import Screen

#: Column and direction, ``"asc"`` or ``"desc"``.
Sort: TypeAlias = "tuple[str, str] | None"


class TableReader:
    """Reads a table unchanged; views derive from it for tables that need more.

    *extra* holds the parameters of a request beyond filter, grouping, search and order. It is
    hashable, because results are cached by it.
    """

    def extra_of(self, params: Mapping[str, Any]) -> Any:  # noqa: ARG002 - for tables that need more
        """Return the extra parameters of a request.

        Raises
        ------
        RequestError
            The parameters are invalid.
        """
        return None

    def read(
        self,
        screen: Screen,
        name: str,
        group_by: str,
        extra: Any,  # noqa: ARG002
        progress: Progress | None = None,
    ) -> pa.Table:
        """Return the table under the filter on screen."""
        return screen.session.table(screen.state, name, group_by, progress)

    def find(self, table: pa.Table, search: str, sort: Sort, extra: Any) -> pa.Table:  # noqa: ARG002
        """Return the sorted rows that match a search."""
        return pages.sort_rows(pages.search_rows(table, search), sort)

    def slots(self, screen: Screen, name: str, rows: pa.Table) -> list[int]:  # noqa: ARG002
        """Return the colour slot of each row; empty if rows have no colour."""
        return []

    def about(self, screen: Screen, table: pa.Table, found: pa.Table, extra: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return additional information about all matching rows for a page."""
        return {"match": -1, "maxima": pages.maxima(found)}

    def facts(self, table: pa.Table) -> dict[str, Any]:  # noqa: ARG002
        """Return additional fields of a page that do not depend on the search."""
        return {}

    def column_notes(self, screen: Screen, hidden: list[str]) -> dict[str, str]:
        """Return why cells of columns are empty, by column.

        Parameters
        ----------
        screen : Screen
            The tables under the filter.
        hidden : list of str
            Columns that are empty in every row.
        """
        return hints.column_notes(screen.trace.model, hidden)

    def rows_to_save(self, table: pa.Table, count: int) -> npt.NDArray[np.int64] | None:  # noqa: ARG002
        """Return the rows that saved state keeps if it has no room for more than `count`.

        None keeps the rows that come first on screen.
        """
        return None

    def why_empty(self, screen: Screen, name: str, extra: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Explain that extra parameters leave no rows; None if that is not the reason."""
        return None


class ColoredReader(TableReader):
    """Reads a table whose rows are coloured by name."""

    def slots(self, screen: Screen, name: str, rows: pa.Table) -> list[int]:
        """Return the colour slot of each row."""
        if not rows.num_rows:
            return []
        slot = colors.slot_of(screen.session, screen.state, name)
        return [slot(text) for text in rows["name"].to_pylist()]
