"""`TaskQueue`: tasks passed from the thread that requests device work to the one that launches it.

Some recorders draw an arrow from the slice that enqueues a task to the slice on another thread that
dequeues it. The calls that then launch the task are on a separate lane with the number of the
dequeuing thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.launches import flow_codes, look_up, match_pairs
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Category of these arrows in the flows table.
QUEUE_FLOW: Final = "queue"


@dataclass(frozen=True)
class TaskQueue:
    """Both ends of a trace's task arrows as host rows, shape (arrows,); empty without arrows.

    Attributes
    ----------
    put : ndarray of int64
        Rows that enqueue tasks, ascending.
    taken : ndarray of int64
        Rows that dequeue each of them.
    """

    put: Rows
    taken: Rows

    @classmethod
    def of(cls, model: TraceModel) -> TaskQueue:
        """Return the task arrows of a trace; cached."""
        return model.cached("task queue", lambda: cls._make(model))

    @classmethod
    def _make(cls, model: TraceModel) -> TaskQueue:
        category, phase = (model.column("flows", name) for name in ("category", "phase"))
        is_queue = flow_codes(model, "category", QUEUE_FLOW)[category]
        heads = np.flatnonzero(is_queue & flow_codes(model, "phase", "s")[phase])
        tails = np.flatnonzero(is_queue & flow_codes(model, "phase", "f")[phase])
        if not len(heads) or not len(tails):
            return cls(heads, tails[:0])
        ids = model.column("flows", "id")
        # ids start at 0, so -1 never matches
        head = look_up(ids[heads] + 1, heads, ids[tails] + 1)
        pairs = head >= 0
        put, taken = _calls_at(model, head[pairs]), _calls_at(model, tails[pairs])
        known = (put >= 0) & (taken >= 0)
        order = np.argsort(put[known], kind="stable")
        return cls(put[known][order], taken[known][order])

    def taken_by(self, row: int) -> int:
        """Return the host row that dequeues the task a row enqueues, -1 for none."""
        at = int(np.searchsorted(self.put, row))
        return int(self.taken[at]) if at < len(self.put) and self.put[at] == row else -1

    def put_by(self, row: int) -> int:
        """Return the host row that enqueued the task a row dequeues, -1 for none."""
        position = np.flatnonzero(self.taken == row)
        return int(self.put[position[0]]) if len(position) else -1

    def put_within(self, first: int, last: int) -> Rows:
        """Return the host rows in a range, last exclusive, that enqueue tasks."""
        low, high = np.searchsorted(self.put, [first, last])
        return self.put[low:high]

    def behind(self, model: TraceModel, call: int) -> int:
        """Return the host row that dequeues the task which a call launches, -1 for none."""
        if not len(self.taken):
            return -1
        start, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
        tid = model.column("threads", "tid")[model.column("host", "thread")[self.taken]]
        here = start[self.taken]
        fits = (here <= start[call]) & (start[call] < here + duration[self.taken])
        fits &= tid == model.column("threads", "tid")[model.column("host", "thread")[call]]
        position = np.flatnonzero(fits)
        return int(self.taken[position[-1]]) if len(position) else -1


def launched_by_taker(model: TraceModel, taken: int) -> Rows:
    """Return the device rows launched while a row dequeued a task, sorted by start."""
    start, duration = (model.column("host", name) for name in ("start_ns", "duration_ns"))
    tid = model.column("threads", "tid")[model.column("host", "thread")]
    launch = model.links.launch
    known = np.flatnonzero(launch >= 0)
    call = launch[known]
    inside = (start[call] >= start[taken]) & (start[call] < start[taken] + duration[taken])
    launched: Rows = known[inside & (tid[call] == tid[taken])]
    return launched


def _calls_at(model: TraceModel, flows: Rows) -> Rows:
    """Return the calls that start where arrows end, -1 for none."""
    calls = np.flatnonzero(model.column("host", "kind") == kinds.RUNTIME)
    threads = {
        (row["pid"], row["tid"]): number
        for number, row in enumerate(model.tables["threads"].to_pylist())
    }
    times, pids, tids = (model.column("flows", name)[flows] for name in ("time_ns", "pid", "tid"))
    places, of = np.unique(np.stack([pids, tids]), axis=1, return_inverse=True)
    known = [threads.get((str(pid), tid), -1) for pid, tid in places.T.tolist()]
    thread = np.array(known, np.int64)[of.reshape(-1)]
    start = model.column("host", "start_ns")[calls]
    of_call = model.column("host", "thread")[calls].astype(np.int64)
    call = match_pairs((start, of_call), (times, thread), calls)
    return np.where(thread >= 0, call, -1)
