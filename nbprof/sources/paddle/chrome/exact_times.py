"""Restores the rounded times of long recordings from event order, stamps and durations.

Beginnings and ends on a thread are a sequence. Each was written with an error that is known, starts
lie in the microsecond of their stamp, and durations are mostly exact. What was measured meets all
of these conditions; the earliest and the latest times that do are found, and the middle taken,
which meets them as well. Where order and durations allow no time within the errors, those hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.sources.paddle.chrome.nesting import Sequence

Times = npt.NDArray[np.int64]

#: Conditions that are met at all are met after a few rounds.
_ROUNDS = 500


class Bounds(NamedTuple):
    """Between what times lie; arrays of shape (events,)."""

    low: Times
    high: Times


def restore(
    sequence: Sequence, starts: Bounds, ends: Bounds, lengths: Bounds
) -> tuple[Times, Times] | None:
    """Find starts and ends of events that meet all conditions; None if durations do not allow it.

    Parameters
    ----------
    sequence : Sequence
        In what order events begin and end.
    starts, ends, lengths : Bounds
        Of starts, ends and durations.
    """
    begin, end, _ = sequence
    count = 2 * len(begin)
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    low[begin], low[end] = starts.low, ends.low
    high[begin], high[end] = starts.high, ends.high
    earliest = _earliest(low, sequence, lengths)
    # Seen backwards in time, the latest times are the earliest ones.
    mirrored = _earliest(-high[::-1], sequence.backwards, lengths)
    if earliest is None or mirrored is None:
        return None
    middle = (earliest - mirrored[::-1]) // 2
    return middle[begin], middle[end]


def _earliest(low: Times, sequence: Sequence, lengths: Bounds) -> Times | None:
    """Move times up from their lower bounds until all conditions are met."""
    begin, end, threads = sequence
    found = low.copy()
    for _ in range(_ROUNDS):
        before = found.copy()
        for first, last in zip(threads[:-1].tolist(), threads[1:].tolist(), strict=True):
            np.maximum.accumulate(found[first:last], out=found[first:last])
        start = np.maximum(found[begin], found[end] - lengths.high)
        found[begin] = start
        found[end] = np.maximum(found[end], start + lengths.low)
        if np.array_equal(before, found):
            return found
    return None
