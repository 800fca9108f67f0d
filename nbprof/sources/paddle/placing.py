"""Where in its microsecond a record of memory was, by the event that it belongs to.

Paddle attaches a record to the innermost event at its time. In JSON it stands behind that event,
but its time is a whole microsecond, at which another event often was still running.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nbprof.sources.paddle.clock import MICROSECOND

Times = npt.NDArray[np.int64]

#: So many short events are passed over.
_ROUNDS = 16


def place(times: Times, owner: Times, parent: Times, start: Times, end: Times) -> Times:
    """Return the first time in its microsecond at which a record can have been.

    Parameters
    ----------
    times : ndarray of int64, shape (records,)
        Beginnings of microseconds.
    owner : ndarray of int64, shape (records,)
        Event that a record belongs to, -1 if to none.
    parent, start, end : ndarray of int64, shape (events,)
        Of events, the parent -1 at the top; that of events that no record belongs to is -2.

    Returns
    -------
    ndarray of int64, shape (records,)
        As it was where there is no such time.
    """
    # Children of one event follow each other in time.
    children = np.lexsort((start, parent))
    # Ranks instead of times keep packed keys far from overflow.
    moments = np.unique(start)
    width = len(moments) + 1
    keys = (parent[children] + 1) * width + np.searchsorted(moments, start[children]) + 1
    has_owner = owner >= 0
    found = np.where(has_owner, np.maximum(times, start[owner]), times) if len(start) else times
    for _ in range(_ROUNDS):
        wanted = (owner + 1) * width + np.searchsorted(moments, found, side="right")
        at = np.searchsorted(keys, wanted, side="right") - 1
        child = children[np.maximum(at, 0)] if len(children) else owner
        inside = (at >= 0) & (parent[child] == owner) & (found < end[child])
        inside &= has_owner
        if not inside.any():
            break
        found = np.where(inside, end[child], found)
    last = np.minimum(times + MICROSECOND, end[owner] + 1) if len(end) else times
    fits = has_owner & (found < last) & ~inside
    return np.where(fits, found, times)
