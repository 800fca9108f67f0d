"""Fills a snapshot with the parts of all views, most important first."""

from __future__ import annotations

from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from nbprof.widgets.hints import hints
from nbprof.widgets.kernelless.filling import cards_and_tables
from nbprof.widgets.kernelless.kept import LAST_OF_LARGE, Filling, Kept
from nbprof.widgets.kernelless.snapshot import SnapshotWriter
from nbprof.widgets.requests.catalog import catalog_of_one
from nbprof.widgets.requests.trace import trace_info
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.kernelless.kept import Wish
    from nbprof.widgets.session import Session, State
    from nbprof.widgets.views.spec import ViewSpec


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
    filling = Filling(writer, session, state, wish)
    for view, part in _parts(filling):
        if wish.brief and part.rank > LAST_OF_LARGE:
            words = "Of a trace as large as this, other groupings and graphs are left out."
            writer.leave_out(words)
            return
        known = len(writer.names())
        with left_out_if_broken(view, "what is kept"):
            yield from part.add(filling)
        if len(writer.names()) > known and view.script not in writer.scripts:
            writer.scripts.append(view.script)


def _parts(filling: Filling) -> list[tuple[ViewSpec, Kept]]:
    """Return the parts of all views, the most wanted first."""
    held = hints.holdings(filling.session.trace(filling.state).model)
    found: list[tuple[ViewSpec, Kept]] = []
    for view in VIEWS.specs():
        with left_out_if_broken(view, "what is kept"):
            if all(held[need] for need in view.needs):
                parts = (view.keeps or partial(cards_and_tables, view))(filling.wish)
                found += [(view, part) for part in parts if isinstance(part, Kept)]
    return sorted(found, key=lambda pair: pair[1].rank)


def _version() -> str:
    try:
        return version("nbprof")
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "unknown"
