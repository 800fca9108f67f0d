"""`ViewSpec` of the distributed view: steps, waiting and communication of all workers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.export.html.workers import workers as workers_html
from nbprof.export.summary_part import SummaryPart
from nbprof.export.text.workers import workers as workers_text
from nbprof.widgets.kernelless.filling import keep_cards, keep_table
from nbprof.widgets.kernelless.kept import Kept, Rank
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.views.distributed.rank_loading import all_read
from nbprof.widgets.views.distributed.requests import about, distributed, workers_cards
from nbprof.widgets.views.spec import ViewSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbprof.widgets.kernelless.kept import Filling, Wish


def _keep(filling: Filling) -> Iterator[str]:
    """Keep words, devices, cards and calls, unless other traces would have to be read for it."""
    session, state = filling.session, filling.state
    if not (all_read(session, state) or filling.wish.ranks):
        return
    found = session.distributed(state)
    if not filling.writer.add("distributed", about(session, state), [to_ipc(found.devices)]):
        filling.writer.leave_out("The distributed view is left out.")
        return
    yield from keep_cards(VIEW, filling)
    yield from keep_table(filling, table="distributed_ops")


def _keeps(wish: Wish) -> Iterable[Kept]:  # noqa: ARG001 - as of all views
    return (Kept(Rank.GRAPHS, _keep),)


VIEW: Final = ViewSpec(
    name="distributed",
    title="Distributed",
    script="distributed",
    table="distributed_ops",
    cards=workers_cards,
    all_workers=True,
    operations={"distributed": Operation(distributed, shows=True)},
    keeps=_keeps,
    summary=(SummaryPart("workers", workers_html, workers_text),),
)
