"""`ViewSpec` of the distributed view: steps, waiting and communication of all workers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.export.summary_part import SummaryPart
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.saved.parts import Priority, SavedPart
from nbprof.widgets.saved.view_parts import keep_cards, keep_table
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.distributed.requests import labelled, workers_cards
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbprof.widgets.saved.parts import SavePlan, Saving

_HERE: Final = "nbprof.widgets.views.distributed"

_HTML: Final = "nbprof.export.html"
_TEXT: Final = "nbprof.export.text"


def _keep(saving: Saving) -> Iterator[str]:
    """Save notices, devices, cards and calls, unless other traces would have to be read for it."""
    session, state = saving.session, saving.state
    if not (all_read(session, state) or saving.plan.ranks):
        return
    devices, about = labelled(session, state)
    if not saving.writer.add("distributed", about, [to_ipc(devices)]):
        saving.writer.leave_out("The distributed view is left out.")
        return
    yield from keep_cards(VIEW, saving)
    yield from keep_table(saving, table="distributed_ops")


def _keeps(plan: SavePlan) -> Iterable[SavedPart]:  # noqa: ARG001 - as of all views
    return (SavedPart(Priority.GRAPHS, _keep),)


VIEW: Final = ViewSpec(
    name="distributed",
    title="Distributed",
    script="distributed",
    table="distributed_ops",
    cards=workers_cards,
    all_workers=True,
    operations={"distributed": Operation(f"{_HERE}.requests:distributed", shows=True)},
    keeps=_keeps,
    summary=(SummaryPart("workers", f"{_HTML}.workers:workers", f"{_TEXT}.workers:workers"),),
)
