"""`Threads`: numbers the threads of a recording, and the lanes of their overlapping ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.building import table_of
from nbprof.model.trace import schema
from nbprof.sources.cuda.distinct import distinct_codes

Rows = npt.NDArray[np.int64]

#: Bits of the thread in a key; the process is above.
_BITS = 32
_MASK = (1 << _BITS) - 1


class Thread(NamedTuple):
    """A thread, or a lane of a thread's ranges that overlap others."""

    pid: int
    tid: int
    lane: int


class Threads:
    """The threads of a recording, in the order in which they are first seen.

    Parameters
    ----------
    names : dict of (int, int) to str
        Names of threads by process and thread.
    """

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}
        self._codes: dict[Thread, int] = {}

    def code(self, pid: int, tid: int, lane: int = 0) -> int:
        """Return the number of a thread; lane 0 is the thread itself."""
        return self._codes.setdefault(Thread(pid, tid, lane), len(self._codes))

    def codes(self, pids: Rows, tids: Rows) -> npt.NDArray[np.int32]:
        """Return the numbers of threads, shape (rows,)."""
        keys = pids << _BITS | (tids & _MASK)
        code, distinct = distinct_codes(keys)
        numbers = [self.code(key >> _BITS, key & _MASK) for key in distinct.tolist()]
        return np.array(numbers, np.int32)[code] if numbers else np.empty(0, np.int32)

    def lanes(self, code: int, lanes: int) -> npt.NDArray[np.int32]:
        """Return the numbers of the lanes 1, 2, … of a thread, shape (lanes,)."""
        of = list(self._codes)[code]
        numbers = [self.code(of.pid, of.tid, lane + 1) for lane in range(lanes)]
        return np.array(numbers, np.int32)

    def pids(self) -> Rows:
        """Return the process of each thread, shape (threads,)."""
        return np.array([one.pid for one in self._codes], np.int64)

    def __len__(self) -> int:
        """Return the number of threads."""
        return len(self._codes)

    def table(self, order: Rows) -> object:
        """Return the table of threads, in an order of their numbers."""
        every = list(self._codes)
        listed = [every[at] for at in order.tolist()]
        # A lane has no number of its own that people know; it must not be that of a thread.
        tids = [one.tid if not one.lane else -(2 + at) for at, one in enumerate(listed)]
        return table_of(
            {
                "pid": [str(one.pid) for one in listed],
                "tid": tids,
                "name": [self._name(one) for one in listed],
            },
            schema=schema.THREADS,
        )

    def _name(self, one: Thread) -> str:
        name = self.names.get((one.pid, one.tid), "")
        if not one.lane:
            return name
        return f"Overlapping ranges of {name or f'thread {one.tid}'}"
