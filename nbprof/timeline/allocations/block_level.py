"""`BlockLevel`: the stacked blocks of a range of time for a number of pixel columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nbprof.timeline.allocations.range_peaks import RangePeaks

if TYPE_CHECKING:
    from nbprof.analysis.allocator.history import AllocatorHistory

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: The axis of the blocks: time in microseconds, or the number of events, as memory_viz has it.
Axis: TypeAlias = Literal["time", "events"]
AXES: Final[tuple[Axis, ...]] = ("time", "events")

#: Blocks of a level, at most.
MOST_BLOCKS: Final = 4000

#: Part of a recording that is shown before and after it, for what was there and what stayed.
_MARGIN: Final = 0.01


def positions(history: AllocatorHistory, axis: Axis) -> Floats:
    """Return where each moment begins on the axis, ascending, shape (moments,)."""

    def make() -> Floats:
        if axis == "events":
            return np.arange(history.last + 1, dtype=np.float64)
        return history.time_ns / 1000

    return history.model.cached(("allocator positions", history.device, axis), make)


def extent(history: AllocatorHistory, axis: Axis) -> tuple[float, float]:
    """Return the range that shows everything: the recording, and a little before and after it."""
    place = positions(history, axis)
    first, last = float(place[0]), float(place[-1])
    margin = max((last - first) * _MARGIN, 1.0)
    return first - margin, last + margin


@dataclass(frozen=True)
class BlockLevel:
    """Blocks of a range. A column shows the moment with the most memory in use within it.

    Attributes
    ----------
    moment : ndarray of int64, shape (columns,)
        The moment that each column shows.
    total, rest, reserved : ndarray of int64, shape (columns,)
        Bytes in use at that moment, the part of blocks that are not drawn, and bytes reserved.
    block : ndarray of int64, shape (blocks,)
        The blocks that are drawn, in the order of stacking: indices into ``history.lives``.
    first, last : ndarray of int64, shape (blocks,)
        Each covers the columns ``first <= column < last``.
    inside : int
        Number of blocks in use at any moment of the range.
    """

    moment: Ints
    total: Ints
    rest: Ints
    reserved: Ints
    block: Ints
    first: Ints
    last: Ints
    inside: int


def block_level(
    history: AllocatorHistory,
    axis: Axis,
    span: tuple[float, float],
    *,
    columns: int,
    least: float,
    wanted: Mask | None = None,
) -> BlockLevel:
    """Return the blocks of a range.

    Parameters
    ----------
    history : AllocatorHistory
        The device.
    axis : {"time", "events"}
        What positions mean.
    span : (float, float)
        The range.
    columns : int
        Number of pixel columns.
    least : float
        Blocks of fewer bytes are too low to see.
    wanted : ndarray of bool, shape (blocks,), optional
        Blocks that a search or filter keeps: they are drawn before others, however low.
    """
    moment = _moments(history, positions(history, axis), span, columns)
    total = history.in_use[moment]
    lives = history.lives
    first_moment, last_moment = int(moment[0]), int(moment[-1])
    # Blocks are sorted by their start.
    begun = int(np.searchsorted(lives.start, last_moment, side="right"))
    live = lives.end[:begun] > first_moment
    inside = int(np.count_nonzero(live))
    big = lives.size[:begun] >= max(least, 1)
    if wanted is not None:
        big |= wanted[:begun] & (lives.size[:begun] > 0)
    block = np.flatnonzero(live & big)
    first = np.searchsorted(moment, lives.start[block], side="left")
    last = np.searchsorted(moment, lives.end[block], side="left")
    seen = last > first
    block, first, last = block[seen], first[seen], last[seen]
    if len(block) > MOST_BLOCKS:
        weight: list[npt.NDArray[Any]] = [last - first, lives.size[block]]
        if wanted is not None:
            weight.append(wanted[block])
        chosen = np.sort(np.lexsort(weight)[-MOST_BLOCKS:])
        block, first, last = block[chosen], first[chosen], last[chosen]
    drawn = np.zeros(columns + 1, np.int64)
    np.add.at(drawn, first, lives.size[block])
    np.subtract.at(drawn, last, lives.size[block])
    return BlockLevel(
        moment=moment,
        total=total,
        rest=total - np.cumsum(drawn)[:columns],
        reserved=history.reserved[moment],
        block=block,
        first=first,
        last=last,
        inside=inside,
    )


def _moments(
    history: AllocatorHistory, place: Floats, span: tuple[float, float], columns: int
) -> Ints:
    """Return the moment with the most memory in use within each column, never descending."""
    start, end = span
    edges = start + (end - start) * np.arange(columns + 1) / columns
    at = np.searchsorted(place, edges, side="right") - 1
    first = np.maximum(at[:-1], 0)
    # A moment that begins at the right edge belongs to the next column.
    last = np.maximum(np.searchsorted(place, edges[1:], side="left") - 1, first)
    peaks = history.model.cached(
        ("allocator peaks", history.device), lambda: RangePeaks(history.in_use)
    )
    return peaks.at(first, last)
