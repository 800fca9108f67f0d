"""`ViewSpec` of the timeline view: all slices by thread and stream over time, with curves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved import timeline as saved_timeline
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.timeline import selection
from nbprof.widgets.views.timeline.params import GROUPINGS
from nbprof.widgets.views.timeline.requests import slices, timeline
from nbprof.widgets.views.timeline.slices import area, find, flows, slice_

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.traits import Selection
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen


def _rows(screen: Screen, group_by: str, look: Look) -> pa.Table:  # noqa: ARG001 - lanes group nothing
    return screen.table("slices")


def _selected(screen: Screen, group_by: str, rows: Selection) -> pa.Table:
    return selection.selected(screen.trace, group_by, rows)


def _keep(group_by: str, saving: Saving) -> Iterator[str]:
    plan = saving.plan
    for most in sorted({plan.timeline_bytes, saved_timeline.MAX_BYTES}, reverse=True):
        parts = saved_timeline.timeline_parts(
            saving.session, saving.state, group_by, max_bytes=most, again=plan.again
        )
        if parts and saving.writer.add("timeline", parts=parts):
            break
    else:
        saving.writer.leave_out("The timeline is left out.")
    yield "timeline"


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    if not plan.timeline_bytes:
        return ()
    on_screen = plan.group_by if plan.view == VIEW.name else VIEW.first_way
    priority = Priority.ON_SCREEN if plan.timeline_by else Priority.TIMELINE
    return (SavedPart(priority, partial(_keep, plan.timeline_by or on_screen)),)


VIEW: Final = ViewSpec(
    name="timeline",
    title="Timeline",
    script="timeline",
    shows="slices",
    groupings=GROUPINGS,
    rows=_rows,
    selected=_selected,
    check_selection=selection.check,
    selects_in_trace=True,
    operations={
        "timeline": Operation(timeline, shows=True),
        "slices": Operation(slices),
        "slice": Operation(slice_),
        "find": Operation(find),
        "area": Operation(area),
        "flows": Operation(flows),
    },
    keeps=_keeps,
    summary=(),
)
