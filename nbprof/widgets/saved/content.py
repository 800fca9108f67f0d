"""Fills saved state with the parts of all views, most important first."""

from __future__ import annotations

from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from nbprof.tables import TABLES
from nbprof.widgets.hints import hints
from nbprof.widgets.requests.catalog import catalog_of_one
from nbprof.widgets.requests.trace import trace_info
from nbprof.widgets.saved.parts import LAST_OF_LARGE, SavedPart, Saving
from nbprof.widgets.saved.view_parts import cards_and_tables
from nbprof.widgets.saved.writer import StateWriter
from nbprof.widgets.views import groupings
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.saved.parts import SavePlan
    from nbprof.widgets.session.session import Session
    from nbprof.widgets.session.state import State
    from nbprof.widgets.views.spec import ViewSpec


def make(session: Session, state: State, plan: SavePlan) -> bytes:
    """Return the saved state of a view, at most ``plan.max_bytes`` long.

    Parameters
    ----------
    session : Session
        The profile on screen.
    state : State
        The trace and the filter.
    plan : SavePlan
        What to save, and the size limits.
    """
    writer = start(session, state, plan.max_bytes)
    for _ in fill(writer, session, state, plan):
        pass
    return writer.to_bytes()


def start(session: Session, state: State, max_bytes: int) -> StateWriter:
    """Return a writer with the trace key, the filter, and the entries that every view needs."""
    trace = session.trace(state)
    step = trace.step if state.step is None else state.step
    key = (trace.run, trace.worker, trace.span)
    by_step = (*key, step) if step else key
    writer = StateWriter(max_bytes, by_step, _version(), filter=state.filter.to_dict())
    writer.add("catalog", catalog_of_one(session, trace.file))
    compared = state.baseline is not None
    info = trace_info(trace, session.names, state.step or "", others=compared, shared=True)
    writer.add("trace", info)
    writer.add("tables", _table_facts())
    return writer


def _table_facts() -> dict[str, dict[str, Any]]:
    """Return facts about the tables that can be grouped, expanded or filtered without Python.

    Each is a ``TableFacts`` of ``js/src/core/saved/savedstate.ts``.
    """
    found = {}
    for spec in TABLES.specs():
        facts = {
            "group_by": groupings.check_grouping(spec.name, ""),
            "parts_table": spec.parts_table,
            "adds_up": bool(spec.step_parts),
        }
        if any(facts.values()):
            found[spec.name] = {key: value for key, value in facts.items() if value}
    return found


def fill(writer: StateWriter, session: Session, state: State, plan: SavePlan) -> Iterator[str]:
    """Add the parts that fit, the most important first; yield the name of each entry tried."""
    saving = Saving(writer, session, state, plan)
    for view, part in _parts(saving):
        if plan.compact and part.priority > LAST_OF_LARGE:
            words = "Other groupings and graphs are left out, because the trace is large."
            writer.leave_out(words)
            return
        known = len(writer.names())
        with left_out_if_broken(view, "is left out of what is kept"):
            yield from part.add(saving)
        if len(writer.names()) > known and view.script not in writer.scripts:
            writer.scripts.append(view.script)


def _parts(saving: Saving) -> list[tuple[ViewSpec, SavedPart]]:
    """Return the parts of all views, the most important first."""
    held = hints.holdings(saving.session.trace(saving.state).model)
    found: list[tuple[ViewSpec, SavedPart]] = []
    for view in VIEWS.specs():
        with left_out_if_broken(view, "is left out of what is kept"):
            if all(held[need] for need in view.needs):
                parts = (view.keeps or partial(cards_and_tables, view))(saving.plan)
                found += [(view, part) for part in parts if isinstance(part, SavedPart)]
    return sorted(found, key=lambda pair: pair[1].priority)


def _version() -> str:
    try:
        return version("nbprof")
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "unknown"
