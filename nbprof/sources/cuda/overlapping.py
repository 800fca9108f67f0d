"""`nested_lanes`: distributes ranges that may overlap over lanes in which they are nested."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]

#: Ranges beyond this many open ones share the last lane.
MOST_LANES = 64


def nested_lanes(start: Rows, end: Rows) -> npt.NDArray[np.int32]:
    """Return a lane for each range, so that the ranges of a lane are nested.

    A range goes to the first lane whose innermost open range contains it, or that has none open.

    Parameters
    ----------
    start, end : ndarray of int64, shape (ranges,)
        Times, sorted by (start, -end).

    Examples
    --------
    >>> nested_lanes(np.array([0, 1, 5]), np.array([9, 3, 12])).tolist()
    [0, 0, 1]
    """
    lanes: list[list[int]] = []  # the ends of the open ranges of each lane, the innermost last
    found = np.zeros(len(start), np.int32)
    for at, (begin, finish) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        number = next((at for at, ends in enumerate(lanes) if _takes(ends, begin, finish)), None)
        if number is None:
            if len(lanes) < MOST_LANES:
                lanes.append([])
            number = len(lanes) - 1
        lanes[number].append(finish)
        found[at] = number
    return found


def _takes(ends: list[int], begin: int, finish: int) -> bool:
    """Return whether a range is nested in the open ranges of a lane; close those that ended."""
    while ends and ends[-1] <= begin:
        ends.pop()
    return not ends or finish <= ends[-1]
