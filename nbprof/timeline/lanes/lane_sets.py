"""`lane_set`: the lanes of a trace in one of the groupings, by thread and stream or by module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.timeline.lanes.modules import module_lanes
from nbprof.timeline.lanes.threads import thread_lanes
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet

GROUPINGS: Final = ("thread", "module")


def lane_set(model: TraceModel, group_by: str = "thread") -> LaneSet:
    """Return the lanes of a trace; cached for each grouping.

    Parameters
    ----------
    model : TraceModel
        The trace.
    group_by : {"thread", "module"}
        Group lanes by thread and stream, or by module.

    Raises
    ------
    ValueError
        The grouping is unknown.
    """
    if group_by not in GROUPINGS:
        message = f"Lanes are grouped by {' or '.join(GROUPINGS)}, not by {group_by!r}."
        raise ValueError(message)
    return model.cached(("lanes", group_by), lambda: _make(model, group_by))


def _make(model: TraceModel, group_by: str) -> LaneSet:
    slices = Slices.of(model)
    if group_by == "module":
        return module_lanes(model, slices, lane_set(model))
    return thread_lanes(model, slices)
