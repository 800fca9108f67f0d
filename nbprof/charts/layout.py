"""Layout helpers: spacing labels apart, choosing round ticks, labelling every nth item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nbprof.model.units import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence


def spread(wanted: Sequence[float], pitch: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible so that neighbours are a pitch apart.

    The result minimises the sum of squared moves. Positions that would overlap form a block, which
    is spaced evenly around the mean of its wanted positions; blocks that meet are joined.

    Parameters
    ----------
    wanted : sequence of float
        Positions, in ascending order.
    pitch : float
        Minimum distance between neighbours.
    low, high : float
        Bounds for all positions. If there is not enough room, distances shrink.

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
    # After subtracting the distances before each position, positions only must not decrease.
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


def side_by_side(
    wanted: Sequence[float], widths: Sequence[float], gap: float, low: float, high: float
) -> list[float]:
    """Move items of different widths as little as possible so that none overlap.

    Parameters
    ----------
    wanted : sequence of float
        Wanted middles. The order is kept even if it is not ascending.
    widths : sequence of float
        Width of each item.
    gap : float
        Minimum distance between two neighbours.
    low, high : float
        Bounds for all items. If there is not enough room, items go beyond `high`.

    Returns
    -------
    list of float
        The new middles.
    """
    offsets, end = [], 0.0
    for width in widths:
        offsets.append(end + width / 2)
        end += width + gap
    room = max(high - low - (end - gap), 0.0)
    begins = [at - offset for at, offset in zip(wanted, offsets, strict=True)]
    moved = spread(begins, 0.0, low, low + room)
    return [begin + offset for begin, offset in zip(moved, offsets, strict=True)]


def round_ticks(maximum: float) -> list[float]:
    """Return four or five round numbers from 0.

    Steps are 1, 2, 2.5 or 5 times a power of ten. The last tick is the lowest multiple of such a
    step that is not below the maximum. If that would leave much of the axis empty, it is the last
    multiple below the maximum, and the axis should end at the maximum.

    Parameters
    ----------
    maximum : float
        Largest value to show; 0 gives the ticks of 1.
    """
    top = maximum if maximum > 1e-300 else 1.0  # a quarter of anything less may be 0
    power = 10.0 ** math.floor(math.log10(top / 4))
    steps = [power * factor for factor in (1, 2, 2.5, 5, 10, 20, 25)]
    # A maximum that exceeds a tick by a rounding error counts as equal to it. The tolerance is the
    # same for every step: otherwise a maximum might exceed four steps but not two double steps.
    over = [(step, math.ceil(top * (1 - 1e-9) / step)) for step in steps]
    under = [(step, math.floor(top * (1 + 1e-9) / step)) for step in steps]
    # Some step always reaches the maximum in three or four intervals, but may not end just below.
    step, count = min((o for o in over if o[1] in (3, 4)), key=lambda o: o[0] * o[1])
    if step * count > 1.15 * top:
        step, count = next((u for u in under if u[1] in (3, 4)), (step, count))
    return [index * step for index in range(count + 1)]


def ticks_between(low: float, high: float, most: int) -> list[float]:
    """Return round numbers inside a range, as many as possible with one step.

    Steps are 1, 2 or 5 times a power of ten.

    Parameters
    ----------
    low, high : float
        The range, both ends inclusive; not empty.
    most : int
        Maximum number of ticks, at least 2.
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20):
        step = power * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [index * step for index in range(first, last + 1)]
    return []


def label_every(count: int, room: float, width: float) -> int:
    """Return n such that labels do not touch if only every nth is written.

    Parameters
    ----------
    count : int
        Number of positions for labels.
    room : float
        Pixels between two neighbouring positions.
    width : float
        Width of a label in pixels.

    Returns
    -------
    int
        1, 2 or 5 times a power of ten, at most the first such number above `count`.
    """
    every, factors = 1, (2, 2.5, 2)
    index = 0
    while every * room < width and every < count:
        every = int(every * factors[index % 3])
        index += 1
    return every


def tick_text(tick: float, ticks: tuple[float, ...]) -> str:
    """Return the text of a tick, with as many decimals as the step needs."""
    step = ticks[1]
    decimals = next((d for d in range(9) if abs(step - round(step, d)) < 1e-6 * step), 9)
    return format_number(tick, decimals if tick else 0)
