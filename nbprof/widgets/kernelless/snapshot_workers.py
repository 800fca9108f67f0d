"""The view of workers for where there is no Python."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nbprof.widgets.kernelless.snapshot_cards import add_cards
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.views.cards import cards_of
from nbprof.widgets.views.distributed import about

if TYPE_CHECKING:
    from nbprof.widgets.kernelless.snapshot import SnapshotWriter
    from nbprof.widgets.session import Session, State


def all_read(session: Session, state: State) -> bool:
    """Whether the view of workers of a state needs no trace that has not been read."""
    trace = session.trace(state)
    return not session.readable_by(state).unread(trace.run, state.filter, span=trace.span)[0]


def add_workers(writer: SnapshotWriter, session: Session, state: State) -> bool:
    """Put the words, devices and charts in, reading what has not been read; tell whether they fit.

    Parameters
    ----------
    writer : SnapshotWriter
        Takes them.
    session, state : Session, State
        The run and span, and the filter.
    """
    found = session.distributed(state)
    if not writer.add("distributed", about(session, state), [to_ipc(found.devices)]):
        writer.leave_out("The view of workers is left out.")
        return False
    cards = cards_of(session, state, "distributed")
    add_cards(writer, "distributed", cards, partial(session.table, state))
    return True
