"""Types of saved state: its parts in order of priority, and the plan of what to save."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.views.timeline.choice import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.widgets.saved.writer import StateWriter
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State

#: Maximum total size of the parts of a timeline before compression.
TIMELINE_BYTES: Final = 512_000

AGAIN: Final = "Run the cell again to see everything."


class Priority(IntEnum):
    """The order in which parts are saved; within one priority, in the order of the tabs."""

    FACTS = 0
    CARDS = 1
    ON_SCREEN = 2
    """The table of the view on screen, and the timeline that has been drawn."""
    TABLES = 3
    DETAILS = 4
    """Tables that other tables refer to."""
    GRAPHS = 5
    """The content of views that are more than a table; the last priority kept for large traces."""
    TIMELINE = 6
    GROUPINGS = 7
    """Other groupings of tables."""
    ORDERS = 8
    """Other layouts of graphs."""


#: Of a large trace, parts up to this priority are saved.
LAST_OF_LARGE = Priority.GRAPHS


@dataclass(frozen=True)
class SavePlan:
    """The content of the saved state, and its size limits.

    Parameters
    ----------
    max_bytes : int
        Maximum size.
    most_rows : int
        Maximum number of rows of a table.
    view, group_by : str
        The view on screen and its grouping, whose table comes first.
    flame_by : str
        Meaning of the widths of the flame graph on screen.
    timeline_by : str
        Grouping of the timeline that has been drawn; empty if none has been.
    timeline : Choice
        The other workers in the timeline, and how their clocks and that of a baseline are aligned.
    timeline_bytes : int
        Maximum size of the timeline before compression; 0 leaves it out.
    again : str
        What the reader can do to see the parts of the timeline that were left out.
    ranks : bool
        Whether to read the traces of other workers that have not been read yet.
    theme : {"light", "dark"}
        Colours of the Bokeh figures that custom views draw.
    no_figures : str
        Why such figures are not saved; empty if they are.
    refilters : bool
        Whether the reader can change the steps and the name of the filter, as on a page.
    compact : bool
        Whether to save only the default form of each table and graph, and no timeline that has
        not been drawn, because the trace is large.
    """

    max_bytes: int
    most_rows: int = 4000
    view: str = ""
    group_by: str = ""
    flame_by: str = "auto"
    timeline_by: str = ""
    timeline: Choice = field(default_factory=Choice)
    timeline_bytes: int = TIMELINE_BYTES
    again: str = AGAIN
    ranks: bool = False
    theme: str = "light"
    no_figures: str = "This figure needs Python. Run the cell again to see it."
    refilters: bool = False
    compact: bool = False


@dataclass(frozen=True)
class Saving:
    """A saved state that is being written.

    Parameters
    ----------
    writer : StateWriter
        Receives the entries.
    session, state : Session, State
        The profile, the trace and the filter on screen.
    plan : SavePlan
        Which parts to save.
    """

    writer: StateWriter
    session: Session
    state: State
    plan: SavePlan

    @property
    def plain_state(self) -> dict[str, Any]:
        """The state as a request has it."""
        state = self.state
        return {
            "run": state.run,
            "worker": state.worker,
            "span": state.span,
            "filter": state.filter.to_dict(),
            "step": state.step,
            "baseline": None if state.baseline is None else state.baseline.plain(),
        }


@dataclass(frozen=True)
class SavedPart:
    """A part of the saved state.

    Parameters
    ----------
    priority : Priority
        Its place in the order.
    add : callable
        ``add(saving)`` writes it, and yields the name of each entry that it tried.
    """

    priority: Priority
    add: Callable[[Saving], Iterator[str]]
