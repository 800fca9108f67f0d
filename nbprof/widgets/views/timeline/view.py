"""`ViewSpec` of the timeline view: all slices by thread and stream over time, with curves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import TIMELINE_BYTES, Priority, SavedPart
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.timeline.choice import GROUPINGS
from nbprof.widgets.views.timeline.selection_check import check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from nbprof.widgets.saved.parts import SavePlan, Saving
    from nbprof.widgets.traits import Selection
    from nbprof.widgets.views.drawing.look import Look
    from nbprof.widgets.views.drawing.screen import Screen

_HERE: Final = "nbprof.widgets.views.timeline"


def _rows(screen: Screen, group_by: str, look: Look) -> pa.Table:  # noqa: ARG001 - lanes group nothing
    return screen.table("slices")


def _selected(screen: Screen, group_by: str, rows: Selection) -> pa.Table:
    from nbprof.widgets.views.timeline import selection

    return selection.selected(screen.session, screen.state, group_by, rows)


def _keep(group_by: str, saving: Saving) -> Iterator[str]:
    from nbprof.widgets.saved.timeline import timeline_parts

    plan = saving.plan
    choice = plan.timeline._replace(group_by=group_by)
    for most in sorted({plan.timeline_bytes, TIMELINE_BYTES}, reverse=True):
        parts = timeline_parts(
            saving.session, saving.state, choice, max_bytes=most, again=plan.again
        )
        if parts and saving.writer.add("timeline", parts=parts):
            break
    else:
        saving.writer.leave_out("The timeline is left out.")
    yield "timeline"


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:
    if not plan.timeline_bytes:
        return ()
    on_screen = plan.group_by if plan.view == VIEW.name else VIEW.default_grouping
    priority = Priority.ON_SCREEN if plan.timeline_by else Priority.TIMELINE
    return (SavedPart(priority, partial(_keep, plan.timeline_by or on_screen)),)


VIEW: Final = ViewSpec(
    name="timeline",
    title="Timeline",
    script="timeline",
    shows="slices",
    finds=("slices",),
    groupings=GROUPINGS,
    rows=_rows,
    selected=_selected,
    check_selection=check,
    selects_in_trace=True,
    operations={
        "timeline": Operation(f"{_HERE}.requests:timeline", shows=True),
        "slices": Operation(f"{_HERE}.requests:slices"),
        "slice": Operation(f"{_HERE}.slices:slice_"),
        "find": Operation(f"{_HERE}.slices:find"),
        "area": Operation(f"{_HERE}.slices:area"),
        "flows": Operation(f"{_HERE}.slices:flows"),
    },
    keeps=_keeps,
    summary=(),
)
