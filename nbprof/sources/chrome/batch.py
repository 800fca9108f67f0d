"""`Batch`: a selection of the events of a window, with the columns that all tables share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.chrome.dictionaries import Names, Threads
from nbprof.sources.chrome.events import NO_ARGS
from nbprof.sources.chrome.times import Nanoseconds, nanoseconds, one_by_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.chrome.columns import Integers
    from nbprof.sources.defects import DefectLog

Pieces = dict[str, npt.NDArray[Any]]

#: Maximum duration of an event in ns (three years); longer ones come from broken clocks.
LONGEST = 10**17

_get_args = attrgetter("args")
_get_duration = attrgetter("dur")
_get_pid = attrgetter("pid")
_get_tid = attrgetter("tid")
_get_thread = attrgetter("pid", "tid")
_get_collective = attrgetter("collective")


@dataclass(frozen=True)
class Batch:
    """Events with columns that all tables share; arrays have shape (events,).

    Attributes
    ----------
    events : sequence of Event or ExactEvent
    names : ndarray of int32
        Codes of the names.
    start : ndarray of int64
        Nanoseconds.
    roles : ndarray of int16
        See `nbprof.sources.kineto.categories`.
    order : ndarray of int64
        Positions in the file.
    """

    events: Sequence[Any]
    names: npt.NDArray[np.int32]
    start: Nanoseconds
    roles: npt.NDArray[np.int16]
    order: Integers

    def __len__(self) -> int:
        return len(self.events)

    def select(self, mask: npt.NDArray[np.bool_]) -> Batch:
        """Return the events where the mask (events,) holds."""
        events = list(compress(self.events, mask.tobytes()))
        return Batch(events, self.names[mask], self.start[mask], self.roles[mask], self.order[mask])

    @cached_property
    def args(self) -> list[Any]:
        """Arguments of every event."""
        args = list(map(_get_args, self.events))
        # By their types: to compare each with None takes twice as long.
        has_none = type(None) in {*map(type, args)}
        return [NO_ARGS if one is None else one for one in args] if has_none else args


@dataclass
class Context:
    """State that the tables of one file share while it is read.

    Attributes
    ----------
    collectives : list of dict
        Arguments of collectives with `side` and `order`, the event's position in the file.
    """

    defects: DefectLog
    names: Names = field(default_factory=Names)
    threads: Threads = field(default_factory=Threads)
    collectives: list[dict[str, Any]] = field(default_factory=list)

    def durations(self, batch: Batch) -> Nanoseconds:
        """Return durations in nanoseconds; missing ones become 0 and are counted."""
        values = list(map(_get_duration, batch.events))
        durations = nanoseconds(values)
        duration = one_by_one(values) if durations is None else durations
        bad = (duration < 0) | (duration > LONGEST)
        if bad.any():
            at = int(np.argmax(bad))
            name, what = self.names.texts[batch.names[at]], values[at]
            example = f"{name!r} has the duration {what!r}; taken as 0"
            duration = np.where(bad, 0, duration)
            self.defects.note("missing or impossible duration", int(bad.sum()), example)
        return duration

    def thread_rows(self, batch: Batch) -> npt.NDArray[np.int32]:
        """Return the thread number of every event, in order of arrival; invalid ids are counted."""
        pids, tids = (list(map(get, batch.events)) for get in (_get_pid, _get_tid))
        rows = self.threads.encode(pids, tids)
        self._note_threads(batch, "missing thread id", self.threads.unknown)
        self._note_threads(batch, "thread id in words", self.threads.in_words, fatal=False)
        return rows

    def _note_threads(self, batch: Batch, kind: str, odd: set[Any], *, fatal: bool = True) -> None:
        if not odd:
            return
        pairs = list(map(_get_thread, batch.events))
        places = [at for at, pair in enumerate(pairs) if pair in odd]
        if places:
            thread, name = pairs[places[0]][1], self.names.texts[batch.names[places[0]]]
            example = f"{name!r} is on {f'thread {thread!r}' if thread else 'no thread'}"
            self.defects.note(kind, len(places), example, fatal=fatal)

    def keep_collectives(self, batch: Batch, side: str) -> None:
        """Keep the arguments of events that are collectives."""
        kinds = list(map(_get_collective, batch.args))
        if kinds.count(None) == len(kinds):
            return
        for kind, args, order in zip(kinds, batch.args, batch.order.tolist(), strict=True):
            if kind is not None:
                self.collectives.append(_collective(args, side, order))


def _collective(args: Any, side: str, order: int) -> dict[str, Any]:
    group = next((g for g in (args.group_name, args.group_id, args.group_text) if g), None)
    texts = {"collective": args.collective, "dtype": args.dtype, "process_group": group}
    numbers = ("in_elements", "out_elements", "group_size")
    return {
        "side": side,
        "order": order,
        **{name: None if text is None else str(text) for name, text in texts.items()},
        "ranks": None if args.ranks is None else str(args.ranks),
        **{name: as_integer(getattr(args, name)) for name in numbers},
    }
