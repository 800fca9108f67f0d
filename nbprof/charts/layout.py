"""Layout helpers: spacing labels apart, choosing round ticks, labelling every nth item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nbprof.model.units import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence


def spread(wanted: Sequence[float], pitch: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible so that neighbours are a pitch apart.

    The least sum of squares under that condition: positions that would overlap form a block,
    spaced evenly round the mean of what its members want; blocks that meet are joined.

    Parameters
    ----------
    wanted : sequence of float
        Positions, in ascending order.
    pitch : float
        Least distance between neighbours.
    low, high : float
        Bounds for all positions. Without room for all, the distances shrink.

    Returns
    -------
    list of float
        New positions in the same order.
    """
    count = len(wanted)
    if not count:
        return []
    if count > 1:
        pitch = min(pitch, (high - low) / (count - 1))
    # Without the distance that the ones before it need, each position must only not decrease.
    blocks: list[tuple[float, int]] = []
    for index, position in enumerate(wanted):
        mean, size = position - index * pitch, 1
        while blocks and blocks[-1][0] >= mean:
            before, members = blocks.pop()
            mean = (before * members + mean * size) / (members + size)
            size += members
        blocks.append((mean, size))
    ceiling = high - (count - 1) * pitch
    flat = [min(max(mean, low), ceiling) for mean, size in blocks for _ in range(size)]
    return [position + index * pitch for index, position in enumerate(flat)]


def round_ticks(maximum: float) -> list[float]:
    """Return four or five round numbers from 0.

    Steps are 1, 2, 2.5 or 5 times a power of ten. The last tick is the lowest that such a step
    puts at or over the maximum; where that would leave much of the axis empty, the last one below
    it, and the axis is to end at the maximum.

    Parameters
    ----------
    maximum : float
        Largest value to show; 0 gives the ticks of 1.
    """
    top = maximum if maximum > 1e-300 else 1.0  # a quarter of anything less may be 0
    power = 10.0 ** math.floor(math.log10(top / 4))
    steps = [power * factor for factor in (1, 2, 2.5, 5, 10, 20, 25)]
    over = [(step, math.ceil(top / step - 1e-9)) for step in steps]
    under = [(step, math.floor(top / step + 1e-9)) for step in steps]
    # Some step always gives three or four intervals over the maximum, but not always below it.
    step, count = min((o for o in over if o[1] in (3, 4)), key=lambda o: o[0] * o[1])
    if step * count > 1.15 * top:
        step, count = next((u for u in under if u[1] in (3, 4)), (step, count))
    return [index * step for index in range(count + 1)]


def ticks_between(low: float, high: float, most: int) -> list[float]:
    """Return round numbers inside a range, as many as there may be of one step.

    Steps are 1, 2 or 5 times a power of ten.

    Parameters
    ----------
    low, high : float
        The range, both ends inclusive; not empty.
    most : int
        How many at most, from 2.
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20):
        step = power * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [index * step for index in range(first, last + 1)]
    return []


def label_every(count: int, room: float, width: float) -> int:
    """Return n such that every nth of a row of labels leaves them apart.

    Parameters
    ----------
    count : int
        How many there could be.
    room : float
        Pixels between two neighbours.
    width : float
        Pixels that a label takes.

    Returns
    -------
    int
        1, 2 or 5 times a power of ten, at most the first of these over `count`.
    """
    every, factors = 1, (2, 2.5, 2)
    index = 0
    while every * room < width and every < count:
        every = int(every * factors[index % 3])
        index += 1
    return every


def tick_text(tick: float, ticks: tuple[float, ...]) -> str:
    """Write a tick with as many decimals as its step needs."""
    step = ticks[1]
    decimals = next((d for d in range(9) if abs(step - round(step, d)) < 1e-6 * step), 9)
    return format_number(tick, decimals if tick else 0)
