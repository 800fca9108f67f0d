"""``distributed``: the workers of a run side by side, as far as their traces have been read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import TraceFormatError
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import State
from nbprof.widgets.views.cards import cards_of, describe, draw_cards
from nbprof.widgets.views.distributed_words import notes_of, rules_note, why_empty
from nbprof.widgets.views.figures import Look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.widgets.session import Progress, Session

#: Seconds that one request reads traces for. While it does, Python answers nothing else: the
#: browser asks again, and other questions come between.
PATIENCE: Final = 1.0


def distributed(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return what the workers of a run do, or how many of them have been read so far.

    ``done`` of ``of`` traces are read; while these differ, there is nothing else.
    """
    from bokeh.embed import json_item

    state = State.parse(params.get("state"))
    look = Look.parse(params)
    done, of = read_some(session, state, progress, PATIENCE)
    if done < of:
        return Reply({"done": done, "of": of, "figures": {}})
    found = session.distributed(state)
    chosen = cards_of(session, state, "distributed")
    cards, tables = describe(chosen, found.table, look.choices, first=1)
    drawn = draw_cards(chosen, found.table, look)
    items = {name: json_item(made) for name, made in drawn.items()}
    result = {"done": done, "of": of, "cards": cards, "figures": items, **about(session, state)}
    return Reply(result, [to_ipc(table) for table in (found.devices, *tables)])


def about(session: Session, state: State) -> dict[str, Any]:
    """Return what is said of the workers in words."""
    found = session.distributed(state)
    trace = session.trace(state)
    return {
        "notes": [*notes_of(found), *rules_note(trace.model.metadata)],
        "empty": why_empty(found, state.filter, trace.model.vocabulary.record_ranks),
        "calls": found.calls,
        "over": "the time of the steps" if trace.model.steps.recorded else "the recording",
    }


def read_some(
    session: Session, state: State, progress: Progress, seconds: float
) -> tuple[int, int]:
    """Read traces of the run for some time, one at least; return how many are read, and of all.

    The traces that an executor reads are read at once.
    """
    readable = session.readable_by(state)
    trace = session.trace(state)
    filter_, span = state.filter, trace.span
    end = time.monotonic() + seconds
    unread, of = readable.unread(trace.run, filter_, span=span)
    while unread:
        tell = _Share(progress, of - len(unread), of)
        try:
            readable.read_first(unread, filter_, tell)
        except TraceFormatError:
            # It has joined the ones that the view names. Without any that can be read, there is
            # nothing to go on with.
            if not readable.files:
                raise
        unread, of = readable.unread(trace.run, filter_, span=span)
        if time.monotonic() > end:
            break
    return of - len(unread), of


class _Share:
    """Progress of one trace as that of all of them."""

    def __init__(self, progress: Progress, done: int, of: int) -> None:
        self._progress = progress
        self._done = done
        self._of = of

    def __call__(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - told by number
        part = done / total if total else 0.0
        words = f"Reading trace {self._done + 1} of {self._of}"
        self._progress(round(1000 * (self._done + part)), 1000 * self._of, words)
