"""Restores the rounded times of long recordings from event order, stamps and durations.

Starts and ends on a thread form a sequence. Each was written with a bounded error, starts lie in
the microsecond of their stamp, and durations are mostly exact. The measured times meet all of these
conditions. The earliest and the latest times that meet them are found, and their middle, which also
meets them, is used. If no time within the errors satisfies them, order and durations take
precedence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.sources.paddle.chrome.nesting import Sequence

Times = npt.NDArray[np.int64]

#: Conditions that can be met are met after a few rounds.
_ROUNDS = 500


class Bounds(NamedTuple):
    """Lower and upper bounds of times; arrays of shape (events,)."""

    low: Times
    high: Times


def restore(
    sequence: Sequence, starts: Bounds, ends: Bounds, lengths: Bounds
) -> tuple[Times, Times] | None:
    """Find starts and ends of events that meet all conditions; None if durations do not allow it.

    Parameters
    ----------
    sequence : Sequence
        The order in which events start and end.
    starts, ends, lengths : Bounds
        The bounds of starts, ends and durations.
    """
    begin, end, _ = sequence
    count = 2 * len(begin)
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    low[begin], low[end] = starts.low, ends.low
    high[begin], high[end] = starts.high, ends.high
    earliest = _earliest(low, sequence, lengths)
    # Reversed in time, the latest times are the earliest ones.
    mirrored = _earliest(-high[::-1], sequence.backwards, lengths)
    if earliest is None or mirrored is None:
        return None
    middle = (earliest - mirrored[::-1]) // 2
    return middle[begin], middle[end]


def _earliest(low: Times, sequence: Sequence, lengths: Bounds) -> Times | None:
    """Move times up from their lower bounds until all conditions are met."""
    begin, end, threads = sequence
    earliest = low.copy()
    for _ in range(_ROUNDS):
        before = earliest.copy()
        for first, last in zip(threads[:-1].tolist(), threads[1:].tolist(), strict=True):
            np.maximum.accumulate(earliest[first:last], out=earliest[first:last])
        start = np.maximum(earliest[begin], earliest[end] - lengths.high)
        earliest[begin] = start
        earliest[end] = np.maximum(earliest[end], start + lengths.low)
        if np.array_equal(before, earliest):
            return earliest
    return None
