"""Places memory records within their microsecond, by the event that each belongs to.

Paddle attaches a record to the innermost event at its time. In JSON it follows that event, but its
time is a whole microsecond, at which another event was often still running.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.lookup import distinct
from nbprof.sources.paddle.clock import MICROSECOND

Times = npt.NDArray[np.int64]

#: Maximum number of short events to skip.
_ROUNDS = 16


class Events(NamedTuple):
    """Host events; arrays of shape (events,).

    Attributes
    ----------
    parent : ndarray of int64
        -1 at the top; -2 for events without records.
    start, end : ndarray of int64
        Times.
    """

    parent: Times
    start: Times
    end: Times


def place(times: Times, owner: Times, events: Events, off: int) -> Times:
    """Return the first possible time of each record within its microsecond.

    Parameters
    ----------
    times : ndarray of int64, shape (records,)
        Starts of microseconds.
    owner : ndarray of int64, shape (records,)
        Event of each record, -1 if none.
    events : Events
        The events of the records.
    off : int
        Maximum error of event times in nanoseconds.

    Returns
    -------
    ndarray of int64, shape (records,)
        The original time if there is no possible one.
    """
    parent, start, end = events
    if len(start) == 0:
        return times
    has_owner = owner >= 0
    last = np.minimum(times + MICROSECOND - 1 + off, end[owner] - 1)
    time = np.where(has_owner, np.maximum(times, start[owner]), times)
    # With an inexact time, an owner may seem to end earlier.
    late = has_owner & (time > last) & (time - off <= last)
    time[late] = np.maximum(last, start[owner])[late]
    # Children of one event follow each other in time. Ranks instead of times keep packed keys far
    # from overflow.
    children = np.lexsort((start, parent))
    moments = distinct(start)
    width = len(moments) + 1
    keys = (parent[children] + 1) * width + np.searchsorted(moments, start[children]) + 1
    for _ in range(_ROUNDS):
        wanted = (owner + 1) * width + np.searchsorted(moments, time, side="right")
        at = np.searchsorted(keys, wanted, side="right") - 1
        child = children[np.maximum(at, 0)]
        inside = (at >= 0) & (parent[child] == owner) & (time < end[child]) & has_owner
        if not inside.any():
            break
        time = np.where(inside, end[child], time)
    fits = has_owner & (time <= last) & ~inside
    return np.where(fits, time, times)
