"""`Screen`: the tables under the filter on screen, for charts, cards and saved data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nbprof.charts.cards.cards import freed
from nbprof.model.filters.filter import Filter

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.ranks.comparison import Distributed
    from nbprof.trace import Trace
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State


@dataclass(frozen=True)
class Screen:
    """A trace, or all workers of its run, under the filter on screen.

    Parameters
    ----------
    session : Session
        Computes and caches the tables.
    state : State
        Which trace, and the filter.
    """

    session: Session
    state: State

    @property
    def trace(self) -> Trace:
        """The trace under the filter."""
        return self.session.trace(self.state)

    @property
    def workers(self) -> Distributed:
        """All workers of the run; traces are read as needed."""
        return self.session.distributed(self.state)

    def table(self, name: str, group_by: str = "") -> pa.Table:
        """Return a table under the filter; empty `group_by` for its default."""
        return self.session.table(self.state, name, group_by)

    def around(self, name: str, picks: str, group_by: str = "") -> pa.Table | None:
        """Return a table without the fields that a chart sets; None if the filter has none.

        Parameters
        ----------
        name : str
            The table.
        picks : str
            Quantity selected by a click in the chart, see `nbprof.charts.cards.cards.CONTEXT`.
        group_by : str, optional
            Its grouping; empty for its default.
        """
        filter_ = freed(self.state.filter, picks)
        if filter_ is None:
            return None
        return self.session.table(replace(self.state, filter=filter_), name, group_by)

    def whole(self) -> Screen:
        """Return the screen without the filter."""
        return Screen(self.session, replace(self.state, filter=Filter()))
