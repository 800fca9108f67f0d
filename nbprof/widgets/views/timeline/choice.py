"""`Choice`: the chosen grouping, workers and alignments of a timeline, and the possible values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.widgets.session.align import Align

if TYPE_CHECKING:
    from nbprof.ranks.clocks import MethodChoice

#: Groupings of lanes.
GROUPINGS: Final = {"thread": ("side", "row"), "module": ("side", "row")}

#: The methods of aligning clocks to choose from, and their labels.
METHODS: Final[dict[MethodChoice, str]] = {
    "auto": "Automatic",
    "collectives": "Collectives end together",
    "time": "Time of day",
    "step": "The same step starts together",
}


class Choice(NamedTuple):
    """The choices of a timeline: grouping of lanes, other workers, and alignment of clocks.

    `align` is what a baseline is aligned at.
    """

    group_by: str = "thread"
    workers: tuple[str, ...] = ()
    clock: MethodChoice = "auto"
    align: Align = Align()
