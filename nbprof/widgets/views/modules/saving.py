"""Saves flame graphs for readers without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.widgets.hints import hints
from nbprof.widgets.views.flames.saved_graph import SAVED_WIDTH, add_graph
from nbprof.widgets.views.modules import flame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.saved.parts import Saving


def keep_flames(orders: tuple[str, ...], saving: Saving) -> Iterator[str]:
    """Save the flame graphs of a trace in the given orders, that on screen first."""
    session, state, plan = saving.session, saving.state, saving.plan
    trace = session.trace(state)
    held = hints.holdings(trace.model)
    auto = flame.resolved("auto", trace)
    first = auto if plan.flame_by == "auto" else plan.flame_by
    others = () if plan.compact else ("host", "device", "bytes")
    values = [first, *(by for by in others if by != first)]
    if "flame" not in saving.writer:
        saving.writer.add("flame", {"auto": auto})
    for order in orders:
        for by in values:
            need = flame.NEEDS.get(by)
            if need is None or held[need]:
                _keep_flame(saving, by, order)
                yield "flame"


def _keep_flame(saving: Saving, by: str, order: str) -> None:
    params = {"state": saving.plain_state, "by": by, "order": order, "width": SAVED_WIDTH}
    reply = flame.flame(saving.session, params, _silent)
    index = flame.index_of(saving.session, saving.state, by, order)
    if not add_graph(saving, f"flame:{by}:{order}", reply, index):
        way = "in time order" if order == "time" else "left-heavy"
        worth = by if by == "bytes" else f"{by} time"
        saving.writer.leave_out(f"The flame graph of {worth}, {way}, is left out.")


def _silent(done: int, total: int, text: str) -> None:
    """Progress callback that does nothing."""
