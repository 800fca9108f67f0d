"""What views keep for where there is no kernel: the parts of a snapshot, by how wanted they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from nbprof.widgets.kernelless import timeline_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.widgets.kernelless.snapshot import SnapshotWriter
    from nbprof.widgets.session import Session, State


class Rank(IntEnum):
    """The order in which parts go into a snapshot; within a rank, that of the tabs."""

    FACTS = 0
    CARDS = 1
    ON_SCREEN = 2
    """The table of the view on screen, and the timeline that has been drawn."""
    TABLES = 3
    DETAILS = 4
    """Tables that belong to others."""
    GRAPHS = 5
    """What views show that are more than a table. Of large traces nothing further is kept."""
    TIMELINE = 6
    GROUPINGS = 7
    """Tables grouped in other ways."""
    ORDERS = 8
    """Graphs laid out in other ways."""


#: Of a large trace the parts up to this rank are kept.
LAST_OF_LARGE = Rank.GRAPHS


@dataclass(frozen=True)
class Wish:
    """What a snapshot is to hold.

    Parameters
    ----------
    max_bytes : int
        What it may take.
    most_rows : int
        Rows of a table.
    view, group_by : str
        The view on screen and its grouping, whose table comes first.
    flame_by : str
        What the widths of the flame graph are that is on screen.
    timeline_by : str
        How the lanes of the timeline are made that has been drawn; empty where none has been.
    timeline_bytes : int
        What the timeline may take, before it is compressed; 0 leaves it out.
    again : str
        What is to be done to see what was left out of it.
    ranks : bool
        Whether the traces of other workers are read for it, where they have not been.
    theme : {"light", "dark"}
        Colours of figures that views draw themselves.
    no_figures : str
        Why such figures are not kept; empty where they are.
    brief : bool
        Whether only the first form of each table and graph is made, as the trace is large, and no
        timeline that has not been drawn.
    """

    max_bytes: int
    most_rows: int = 4000
    view: str = ""
    group_by: str = ""
    flame_by: str = "auto"
    timeline_by: str = ""
    timeline_bytes: int = timeline_snapshot.MAX_BYTES
    again: str = timeline_snapshot.AGAIN
    ranks: bool = False
    theme: str = "light"
    no_figures: str = "This figure needs Python. Run the cell again to see it."
    brief: bool = False


@dataclass(frozen=True)
class Filling:
    """A snapshot that is being filled.

    Parameters
    ----------
    writer : SnapshotWriter
        Takes the entries.
    session, state : Session, State
        What is shown.
    wish : Wish
        How much of it is wanted.
    """

    writer: SnapshotWriter
    session: Session
    state: State
    wish: Wish

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
        }


@dataclass(frozen=True)
class Kept:
    """A part of a snapshot.

    Parameters
    ----------
    rank : Rank
        When it goes in.
    add : callable
        ``add(filling)`` puts it in, and gives the name of each entry once it was tried.
    """

    rank: Rank
    add: Callable[[Filling], Iterator[str]]
