"""The timeline view: every slice on its thread or stream over time, and curves beside them."""

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
        data = timeline_snapshot.snapshot(
            filling.session, filling.state, group_by, max_bytes=most, again=wish.again
        )
        if data and filling.writer.add("timeline", parts=[data]):
            break
    else:
        filling.writer.leave_out("The timeline is left out.")
    yield "timeline"


def _keeps(wish: Wish) -> Iterable[Kept]:
    if not wish.timeline:
        return ()
    group_by = wish.group_by if wish.view == VIEW.name else VIEW.first_way
    return (Kept(Rank.TIMELINE, partial(_keep, group_by)),)


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
