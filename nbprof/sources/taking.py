"""What of a file's events becomes rows: a range of time, Python frames or not.

Left out are what was recorded on the host and does not run in the range, calls of the runtime
excepted: which kernel belongs to the range is known by who launched it. Of what is left out, the
extent in time is kept, since times count from the first event and threads come in their order.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.sources import categories
from nbprof.sources.columns import integers
from nbprof.sources.times import nanoseconds, one_by_one

if TYPE_CHECKING:
    from nbprof.sources.batch import Batch, Context, Pieces

Rows = npt.NDArray[np.int64]

#: Times beyond which there are none, in ns.
FAR: Final = 2**62

#: Longer than any event, see `nbprof.sources.batch`.
_LONGEST: Final = 10**17

#: Host rows that a range may leave out.
_NARROWED: Final = (kinds.OPERATOR, kinds.ANNOTATION, kinds.PYTHON, kinds.MODULE)

_get_duration = attrgetter("dur")
_get_thread = attrgetter("pid", "tid")


class Taking(msgspec.Struct, frozen=True):
    """What becomes rows.

    Attributes
    ----------
    low, high : int
        The range, in nanoseconds on the file's own base; `high` is not in it.
    frames : bool
        Whether Python frames do.
    frames_count : bool
        Whether times and threads are those with the Python frames, where these are left out.
    arrows : bool
        Whether arrows outside of the range do: kernels without a correlation need them.
    """

    low: int = -FAR
    high: int = FAR
    frames: bool = True
    frames_count: bool = True
    arrows: bool = True

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self.frames and not self.ranged

    @property
    def ranged(self) -> bool:
        """Whether a range is."""
        return self.low > -FAR or self.high < FAR


TAKE_ALL: Final = Taking()


class Skipper:
    """Leaves out what is not taken, and keeps its extent.

    Attributes
    ----------
    pieces : list of Pieces
        A row for every window, thread and whether it is about operators and annotations: when the
        first of what was left out starts and when the last ends.
    """

    def __init__(self, taking: Taking, context: Context) -> None:
        self._taking = taking
        self._context = context
        self._telling = np.zeros(0, bool)
        self._stack_seen = self._backward_seen = False
        self.pieces: list[Pieces] = []

    def apply(self, batch: Batch) -> None:
        """Give events that are left out the role of those that are ignored, in place."""
        taking = self._taking
        if not taking.frames:
            self._leave(batch, self._frames(batch), counted=taking.frames_count)
        if taking.ranged:
            early, late = batch.start < taking.low, batch.start >= taking.high
            if not taking.arrows:
                flows = np.isin(batch.roles, (categories.LAUNCH_FLOW, categories.FORWARD_FLOW))
                batch.roles[flows & (early | late)] = categories.IGNORED
            outside = (early | late) & np.isin(batch.roles, _NARROWED) & ~self._tells(batch)
            self._leave_outside(batch, np.flatnonzero(outside))

    def extent(self) -> tuple[int, int] | None:
        """Return from when to when operators and annotations were left out, None if none were."""
        use = self.joined("use", np.int8) == 1
        if not use.any():
            return None
        start, end = (self.joined(name, np.int64)[use] for name in ("start_ns", "end_ns"))
        return int(start.min()), int(end.max())

    def joined(self, name: str, dtype: Any) -> npt.NDArray[Any]:
        """Return a column of the pieces."""
        return np.concatenate([np.empty(0, dtype), *(piece[name] for piece in self.pieces)])

    def _frames(self, batch: Batch) -> Rows:
        rows = np.flatnonzero(batch.roles == kinds.PYTHON)
        if len(rows) == 0:
            return rows
        module = integers([batch.args[row] for row in rows.tolist()], "module_id")
        return rows[module < 0]

    def _leave_outside(self, batch: Batch, rows: Rows) -> None:
        """Leave out rows but those that reach into the range or tell about the whole recording."""
        if len(rows) == 0:
            return
        end = batch.start[rows] + _durations(batch, rows)
        inside = (batch.start[rows] < self._taking.low) & (end > self._taking.low)
        self._leave(batch, rows[~inside & ~self._first_of_kind(batch, rows)], counted=True)

    def _leave(self, batch: Batch, rows: Rows, *, counted: bool) -> None:
        if len(rows) == 0:
            return
        if counted:
            pairs = [_get_thread(batch.events[row]) for row in rows.tolist()]
            thread = np.fromiter(map(self._context.threads.__getitem__, pairs), np.int64)
            use = np.isin(batch.roles[rows], (kinds.OPERATOR, kinds.ANNOTATION))
            start = batch.start[rows]
            self._count(thread, use, start, start + _durations(batch, rows))
        batch.roles[rows] = categories.IGNORED

    def _count(self, thread: Rows, use: npt.NDArray[np.bool_], start: Rows, end: Rows) -> None:
        keys, group = np.unique(thread * 2 + use, return_inverse=True)
        first, last = np.full(len(keys), FAR), np.full(len(keys), -FAR)
        np.minimum.at(first, group, start)
        np.maximum.at(last, group, end)
        self.pieces.append(
            {
                "order": np.zeros(len(keys), np.int64),
                "thread": (keys // 2).astype(np.int32),
                "use": (keys % 2).astype(np.int8),
                "start_ns": first,
                "end_ns": last,
            }
        )

    def _tells(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Return which events tell by their name how batches were loaded or work was spread."""
        fresh = self._context.names.texts[len(self._telling) :]
        if fresh:
            known = np.fromiter(map(_tells, fresh), bool, len(fresh))
            self._telling = np.concatenate([self._telling, known])
        found: npt.NDArray[np.bool_] = self._telling[batch.names]
        return found

    def _first_of_kind(self, batch: Batch, rows: Rows) -> npt.NDArray[np.bool_]:
        """Return the first row with a call stack, and the first of a backward pass.

        Whether such were recorded decides how tables are made.
        """
        found = np.zeros(len(rows), bool)
        if self._stack_seen and self._backward_seen:
            return found
        args = [batch.args[row] for row in rows.tolist()]
        if not self._stack_seen:
            at = next((i for i, one in enumerate(args) if one.call_stack), -1)
            self._stack_seen = at >= 0
            found[at] = self._stack_seen
        if not self._backward_seen:
            backward = integers(args, "forward_thread") > 0
            self._backward_seen = bool(backward.any())
            found[backward.argmax()] |= self._backward_seen
        return found


def _durations(batch: Batch, rows: Rows) -> Rows:
    """Return durations; what is wrong with them is counted where rows are made of them."""
    values = [_get_duration(batch.events[row]) for row in rows.tolist()]
    found = nanoseconds(values)
    duration = one_by_one(values) if found is None else found
    return np.where((duration < 0) | (duration > _LONGEST), 0, duration)


def _tells(name: str) -> bool:
    parallel = ("DataParallel.forward", "DistributedDataParallel.forward")
    return "_MultiProcessing" in name or "nccl" in name.lower() or name in parallel
