"""`ViewSpec` of the timeline view: all slices by thread and stream over time, with curves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from nbprof.widgets.kernelless import timeline_snapshot
from nbprof.widgets.kernelless.kept import Kept, Rank
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.views.spec import ViewSpec
from nbprof.widgets.views.timeline import selection
from nbprof.widgets.views.timeline.params import GROUPINGS
from nbprof.widgets.views.timeline.requests import slices, timeline
from nbprof.widgets.views.timeline.slices import area, find, slice_

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from nbprof.widgets.kernelless.kept import Filling, Wish
    from nbprof.widgets.traits import Selection
    from nbprof.widgets.views.look import Look
    from nbprof.widgets.views.screen import Screen


def _rows(screen: Screen, group_by: str, look: Look) -> pa.Table:  # noqa: ARG001 - lanes group nothing
    return screen.table("slices")


def _selected(screen: Screen, group_by: str, rows: Selection) -> pa.Table:
    return selection.selected(screen.trace, group_by, rows)


def _keep(group_by: str, filling: Filling) -> Iterator[str]:
    wish = filling.wish
    for most in sorted({wish.timeline_bytes, timeline_snapshot.MAX_BYTES}, reverse=True):
        parts = timeline_snapshot.timeline_parts(
            filling.session, filling.state, group_by, max_bytes=most, again=wish.again
        )
        if parts and filling.writer.add("timeline", parts=parts):
            break
    else:
        filling.writer.leave_out("The timeline is left out.")
    yield "timeline"


def _keeps(wish: Wish) -> Iterable[Kept]:
    if not wish.timeline_bytes:
        return ()
    on_screen = wish.group_by if wish.view == VIEW.name else VIEW.first_way
    rank = Rank.ON_SCREEN if wish.timeline_by else Rank.TIMELINE
    return (Kept(rank, partial(_keep, wish.timeline_by or on_screen)),)


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
    },
    keeps=_keeps,
    summary=(),
)
