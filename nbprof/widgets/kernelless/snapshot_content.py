"""What goes into a snapshot, the most wanted first."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.widgets.flame_traits import ORDERS
from nbprof.widgets.hints import hints
from nbprof.widgets.kernelless import timeline_snapshot
from nbprof.widgets.kernelless.snapshot import SnapshotWriter
from nbprof.widgets.kernelless.snapshot_cards import add_cards
from nbprof.widgets.kernelless.snapshot_tables import add_table
from nbprof.widgets.kernelless.snapshot_workers import add_workers, all_read
from nbprof.widgets.requests import flame as handlers_flame
from nbprof.widgets.requests.catalog import catalog_of_one
from nbprof.widgets.requests.charts import OVERVIEW_TABLES, facts_of
from nbprof.widgets.requests.memory import curve_facts
from nbprof.widgets.requests.trace import trace_info
from nbprof.widgets.views import groupings
from nbprof.widgets.views.cards import cards_of
from nbprof.widgets.views.memory import ALL, Lens, devices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.session import Session, State

#: Pixel columns of the flame graph: what is narrower stands in blocks.
_FLAME_WIDTH: Final = 1600

_MEMORY_TABLES: Final = (
    "memory_peak",
    "memory_curve",
    "memory_categories",
    "memory_operators",
    "memory_peak_holders",
    "memory_events",
)


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
    timeline : bool
        Whether the timeline is to be in it.
    timeline_bytes : int
        What the timeline may take, before it is compressed.
    again : str
        What is to be done to see what was left out of it.
    ranks : bool
        Whether the traces of other workers are read for it, where they have not been.
    brief : bool
        Whether only the first form of each table and graph is made, as the trace is large, and no
        timeline.
    """

    max_bytes: int
    most_rows: int = 4000
    view: str = "overview"
    group_by: str = ""
    flame_by: str = "auto"
    timeline: bool = True
    timeline_bytes: int = timeline_snapshot.MAX_BYTES
    again: str = timeline_snapshot.AGAIN
    ranks: bool = False
    brief: bool = False


def make(session: Session, state: State, wish: Wish) -> bytes:
    """Return a snapshot of what a state shows, at most ``wish.max_bytes``.

    Parameters
    ----------
    session : Session
        What is shown.
    state : State
        The trace and the filter.
    wish : Wish
        How much of it.
    """
    writer = start(session, state, wish.max_bytes)
    for _ in fill(writer, session, state, wish):
        pass
    return writer.to_bytes()


def start(session: Session, state: State, max_bytes: int) -> SnapshotWriter:
    """Return a writer that knows trace and filter, and holds what every reader needs."""
    trace = session.trace(state)
    step = trace.step if state.step is None else state.step
    key = (trace.run, trace.worker, trace.span)
    by_step = (*key, step) if step else key
    writer = SnapshotWriter(max_bytes, by_step, _version(), filter=state.filter.to_dict())
    writer.add("catalog", catalog_of_one(session, trace.file))
    writer.add("trace", trace_info(trace, state.step or ""))
    return writer


def fill(writer: SnapshotWriter, session: Session, state: State, wish: Wish) -> Iterator[str]:
    """Put in what fits, the most wanted first; give the name of each once it was tried."""
    plain = _plain(state)
    writer.add("facts", facts_of(session, state))
    for name in OVERVIEW_TABLES:
        yield from _table(writer, session, wish, {"state": plain, "table": name}, 0.5)
    for view in ("overview", "operators", "kernels"):
        add_cards(writer, view, cards_of(session, state, view), partial(session.table, state))
        yield "cards"
    base, more = _wanted(session, state, wish)
    for params in base:
        yield from _table(writer, session, wish, {"state": plain, **params}, 0.4)
    yield from _memory(writer, session, state, wish)
    yield from _flames(writer, session, state, wish, ORDERS[:1])
    yield from _workers(writer, session, state, wish)
    if wish.brief:
        writer.leave_out("Of a trace as large as this, other groupings and graphs are left out.")
        return
    if wish.timeline:
        _timeline(writer, session, state, wish)
        yield "timeline"
    for params in more:
        yield from _table(writer, session, wish, {"state": plain, **params}, 0.6)
    yield from _flames(writer, session, state, wish, ORDERS[1:])


def _wanted(
    session: Session, state: State, wish: Wish
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the tables of the views: the first grouping of each, and the others."""
    held = hints.holdings(session.trace(state).model)
    base: list[dict[str, Any]] = []
    more: list[dict[str, Any]] = []
    for table in ("operators", "kernels"):
        for group_by in groupings.groupings_of(table):
            need = {"name+shape": "shapes", "name+stack": "stacks"}.get(group_by)
            if need is not None and not held[need]:
                continue
            params = {"table": table, "group_by": group_by}
            on_screen = (wish.view, wish.group_by) == (table, group_by)
            if on_screen:
                base.insert(0, params)
            else:
                (base if group_by == "name" else more).append(params)
    if session.table(state, "operator_parts").num_rows:
        base.append({"table": "operator_parts"})
    return [*base, {"table": "modules"}], more


def _table(
    writer: SnapshotWriter, session: Session, wish: Wish, params: dict[str, Any], share: float
) -> Iterator[str]:
    add_table(writer, session, params, most_rows=wish.most_rows, share=share)
    yield str(params["table"])


def _workers(writer: SnapshotWriter, session: Session, state: State, wish: Wish) -> Iterator[str]:
    """Put the view of workers in, where nothing has to be read for it but what was wished."""
    wanted = all_read(session, state) or wish.ranks
    if wanted and add_workers(writer, session, state):
        yield "distributed"
        params = {"state": _plain(state), "table": "distributed_ops"}
        yield from _table(writer, session, wish, params, 0.4)


def _memory(writer: SnapshotWriter, session: Session, state: State, wish: Wish) -> Iterator[str]:
    model = session.trace(state).model
    if not hints.holdings(model)["memory"]:
        return
    known = list(devices(model))
    if len(known) > 1:
        known.append(ALL)
    shown = {key: curve_facts(session, state, Lens(key)) for key in known}
    listed = [{"key": key, "label": label} for key, label in devices(model).items()]
    about: dict[str, Any] = {"devices": listed, "first": next(iter(known), ""), "shown": shown}
    parts = {key: curve_facts(session, state, Lens(key, by="component")) for key in known}
    if any(facts["by"] == "component" for facts in parts.values()):
        about["parts"] = parts
    if not writer.add("memory", about):
        return
    yield "memory"
    more = ("memory_components",) if "parts" in about else ()
    for name in (*_MEMORY_TABLES, *more):
        wish_all = {"device": ALL, "by": ALL}
        params = {"state": _plain(state), "table": name, "memory": wish_all}
        # a curve has many points, which compress well
        most = wish.most_rows * (5 if name == "memory_curve" else 1)
        yield from _table(writer, session, replace(wish, most_rows=most), params, 0.4)


def _flames(
    writer: SnapshotWriter, session: Session, state: State, wish: Wish, orders: tuple[str, ...]
) -> Iterator[str]:
    trace = session.trace(state)
    held = hints.holdings(trace.model)
    auto = handlers_flame.resolved("auto", trace)
    first = auto if wish.flame_by == "auto" else wish.flame_by
    others = () if wish.brief else ("host", "device", "bytes")
    ways = [first, *(by for by in others if by != first)]
    if "flame" not in writer:
        writer.add("flame", {"auto": auto})
    for order in orders:
        for by in ways:
            need = {"device": "device", "bytes": "memory"}.get(by)
            if need is None or held[need]:
                _flame(writer, session, state, by, order)
                yield "flame"


def _flame(writer: SnapshotWriter, session: Session, state: State, by: str, order: str) -> None:
    params = {"state": _plain(state), "by": by, "order": order, "width": _FLAME_WIDTH}
    reply = handlers_flame.flame(session, params, _silent)
    index = handlers_flame.index_of(session, state, by, order)
    counts = np.bincount(index.name, minlength=len(index.names)).tolist()
    result = {**reply.result, "every": list(zip(index.names, counts, strict=True))}
    parts = [json.dumps(result, allow_nan=False).encode(), *reply.buffers]
    if not writer.add(f"flame:{by}:{order}", parts=parts):
        way = "in time order" if order == "time" else "left-heavy"
        worth = by if by == "bytes" else f"{by} time"
        writer.leave_out(f"The flame graph of {worth}, {way}, is left out.")


def _timeline(writer: SnapshotWriter, session: Session, state: State, wish: Wish) -> None:
    group_by = wish.group_by if wish.view == "timeline" else "thread"
    for most in sorted({wish.timeline_bytes, timeline_snapshot.MAX_BYTES}, reverse=True):
        data = timeline_snapshot.snapshot(
            session, state, group_by, max_bytes=most, again=wish.again
        )
        if data and writer.add("timeline", parts=[data]):
            return
    writer.leave_out("The timeline is left out.")


def _plain(state: State) -> dict[str, Any]:
    return {
        "run": state.run,
        "worker": state.worker,
        "span": state.span,
        "filter": state.filter.to_dict(),
        "step": state.step,
    }


def _silent(done: int, total: int, text: str) -> None:
    """Progress that nobody waits for."""


def _version() -> str:
    try:
        return version("nbprof")
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "unknown"
