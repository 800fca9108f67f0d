"""Finds which row spends the most time inside a window, for many rows and windows at once.

Rows have disjoint parts, such as the self times of operators on a thread, and each is either whole
inside of a window, or one of the few that are open where the window begins or ends. Of the whole
ones, the longest is looked up in a table of ranks; only the open ones are measured. The work
therefore grows with rows and windows times the depth of nesting, not with rows times windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense, sums
from nbprof.model.links.nesting import crossings

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = npt.NDArray[np.int64]
#: So many overlaps for each window and part are measured one by one, which takes no preparation.
PAIRS: Final = 4
#: Windows, rows, and the time of each row in the window; arrays of shape (n,).
Times = tuple[Rows, Rows, Rows]


def longest_inside(parts: Times, low: Rows, high: Rows, first: Rows) -> Times:
    """Return for every window some rows and their time in it, the longest among them.

    Parameters
    ----------
    parts : tuple of ndarray of int64, shape (parts,)
        The row of each part, its start and its end; sorted by start.
    low, high : ndarray of int64, shape (windows,)
        The windows.
    first : ndarray of int64, shape (rows,)
        What decides between rows of equal time, the smallest first; then the number of the row.

    Returns
    -------
    tuple of ndarray
        Windows, rows, times; each pair of window and row once.
    """
    row, start, end = parts
    first_part, stop = _bounds(start, end, low, high)
    if (stop - first_part).sum() <= PAIRS * (len(row) + len(low)):
        return _sums(row, *overlaps(start, end, low, high))
    mixed = _mixed_rows(row, start, end)
    apart = ~np.isin(row, mixed)
    found = _Extents.of(row[apart], start[apart], end[apart], first).longest(low, high)
    if not len(mixed):
        return found
    rest = _sums(row[~apart], *overlaps(start[~apart], end[~apart], low, high))
    return tuple(np.concatenate(both) for both in zip(found, rest, strict=True))  # type: ignore[return-value]


def overlaps(start: Rows, end: Rows, low: Rows, high: Rows) -> Times:
    """Return which windows and sorted times overlap, and for how long."""
    first, stop = _bounds(start, end, low, high)
    count = stop - first
    window = np.repeat(np.arange(len(low)), count)
    part = np.arange(len(window)) - np.repeat(np.cumsum(count) - count - first, count)
    length = np.minimum(end[part], high[window]) - np.maximum(start[part], low[window])
    kept = length > 0
    return window[kept], part[kept], length[kept]


def _bounds(start: Rows, end: Rows, low: Rows, high: Rows) -> tuple[Rows, Rows]:
    """Return between which parts those lie that a window may overlap, the last one exclusive."""
    first = np.searchsorted(np.maximum.accumulate(end), low, side="right")
    return first, np.maximum(np.searchsorted(start, high, side="left"), first)


def _sums(row: Rows, window: Rows, part: Rows, length: Rows) -> Times:
    """Add up the parts of each row in each window."""
    row = row[part]
    # Most windows are short and meet one part, which needs no sum.
    several = np.bincount(window)[window] > 1 if len(window) else np.zeros(0, bool)
    shared, rows = window[several], row[several]
    group, first = dense(shared, rows)
    total = sums(group, length[several], len(first)).astype(np.int64)
    return (
        np.concatenate([window[~several], shared[first]]),
        np.concatenate([row[~several], rows[first]]),
        np.concatenate([length[~several], total]),
    )


def _mixed_rows(row: Rows, start: Rows, end: Rows) -> Rows:
    """Return the rows with parts that overlap those of others, or that lie between those."""
    mixed = np.empty(0, np.int64)
    while True:
        kept = ~np.isin(row, mixed)
        left, begin, stop = row[kept], start[kept], end[kept]
        reach = np.maximum.accumulate(np.append(-1, stop[:-1])) if len(stop) else stop
        late = np.flatnonzero(begin < reach)
        over = np.searchsorted(np.maximum.accumulate(stop), begin[late], side="right")
        crossing = [left[late], left[over]]
        if not len(late):
            rows, low, high = _extents(left)
            parent = np.arange(-1, len(rows) - 1, dtype=np.int64)
            alone = np.zeros(len(rows), np.int32)
            for one, other in crossings(alone, low, high + 1, parent):
                crossing += [rows[one], rows[other]]
        new = np.unique(np.concatenate(crossing))
        if not len(new):
            return mixed
        mixed = np.union1d(mixed, new)


def _extents(row: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the rows, and the first and last part of each; sorted by first, then longest first."""
    rows, low = np.unique(row, return_index=True)
    high = len(row) - 1 - np.unique(row[::-1], return_index=True)[1]
    order = np.lexsort((-high, low))
    return rows[order], low[order], high[order]


@dataclass(frozen=True)
class _Extents:
    """Rows whose parts are disjoint, and whose extents are nested or disjoint.

    Attributes
    ----------
    row, start, end : ndarray of int64, shape (parts,)
        The place of each part's row among the rows, and its times.
    rows, low, high, above : ndarray of int64, shape (rows,)
        Numbers of the rows, their first and last part, and the place of the row round each or -1;
        sorted by first part, longest first.
    by_rank, rank : ndarray of int64, shape (rows,)
        Places of the rows, the longest first, and the rank of each.
    key, length : ndarray of int64, shape (parts,) and (parts + 1,)
        Parts sorted by row: row times number of parts, plus the part; and their lengths added up.
    """

    row: Rows
    start: Rows
    end: Rows
    rows: Rows
    low: Rows
    high: Rows
    above: Rows
    by_rank: Rows
    rank: Rows
    key: Rows
    length: Rows

    @classmethod
    def of(cls, row: Rows, start: Rows, end: Rows, first: Rows) -> _Extents:
        rows, low, high = _extents(row)
        above = np.arange(-1, len(rows) - 1, dtype=np.int64)
        for _ in crossings(np.zeros(len(rows), np.int32), low, high + 1, above):
            pass  # it sets the rows above as it goes
        place = np.empty(int(rows.max(initial=-1)) + 1, np.int64)
        place[rows] = np.arange(len(rows))
        of = place[row]
        key = of * len(row) + np.arange(len(row))
        order = np.argsort(key)
        total = np.bincount(of, end - start, len(rows)).astype(np.int64)
        by_rank = np.lexsort((rows, first[rows], -total))
        rank = np.empty(len(rows), np.int64)
        rank[by_rank] = np.arange(len(rows))
        lengths = np.append(0, np.cumsum((end - start)[order]))
        return cls(of, start, end, rows, low, high, above, by_rank, rank, key[order], lengths)

    def longest(self, low: Rows, high: Rows) -> Times:
        """Return for every window the longest row that is whole inside, and all that are not."""
        first = np.searchsorted(self.end, low, side="right")
        last = np.searchsorted(self.start, high, side="left") - 1
        window = np.flatnonzero(first <= last)
        first, last = first[window], last[window]
        before = np.searchsorted(self.low, first, side="right")
        stop = np.searchsorted(self.low, last, side="right")
        spans: list[Times] = []
        pairs = [(first[:0], first[:0]), *self._round(first)]
        for at, place in self._round(last):
            pairs.append((at, place))
            later = place >= before[at]
            rest, split = at[later], place[later]
            spans.append((rest, split + 1, stop[rest]))
            stop[rest] = split
        spans.append((np.arange(len(window)), before, stop))
        at, place = (np.concatenate(column) for column in zip(*pairs, strict=True))
        key = np.unique(at * len(self.rows) + place) if len(self.rows) else at
        at, place = key // max(len(self.rows), 1), key % max(len(self.rows), 1)
        time = self._time(place, first[at], last[at], low[window[at]], high[window[at]])
        whole, best = self._whole(*(np.concatenate(c) for c in zip(*spans, strict=True)))
        total = self.length[np.searchsorted(self.key, (best + 1) * len(self.row))]
        total = total - self.length[np.searchsorted(self.key, best * len(self.row))]
        kept = time > 0
        return (
            np.concatenate([window[at[kept]], window[whole]]),
            self.rows[np.concatenate([place[kept], best])],
            np.concatenate([time[kept], total]),
        )

    def _round(self, part: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs of a part's index and the position of an enclosing row, innermost first."""
        place = np.searchsorted(self.low, part, side="right") - 1
        at = np.flatnonzero(place >= 0)
        place = place[at]
        while len(at):
            holds = self.high[place] >= part[at]
            yield at[holds], place[holds]
            place = self.above[place]
            at, place = at[place >= 0], place[place >= 0]

    def _time(self, place: Rows, first: Rows, last: Rows, low: Rows, high: Rows) -> Rows:
        """Return the time of rows in windows from some part to another."""
        base = place * len(self.row)
        bounds = (np.searchsorted(self.key, base + part) for part in (first, last + 1))
        one, other = (self.length[bound] for bound in bounds)
        time = other - one
        time -= np.where(self.row[first] == place, np.maximum(low - self.start[first], 0), 0)
        time -= np.where(self.row[last] == place, np.maximum(self.end[last] - high, 0), 0)
        return time

    def _whole(self, window: Rows, low: Rows, high: Rows) -> tuple[Rows, Rows]:
        """Return for each window the place of the longest row in ranges of places."""
        some = high > low
        window, low, high = window[some], low[some], high[some]
        best = np.full(int(window.max(initial=-1)) + 1, len(self.rows), np.int64)
        level = np.log2(np.maximum(high - low, 1)).astype(np.int64)
        least = self.rank.astype(np.int32)
        for step in range(int(level.max(initial=-1)) + 1):
            here = level == step
            found = np.minimum(least[low[here]], least[high[here] - (1 << step)])
            np.minimum.at(best, window[here], found)
            least = np.minimum(least[: -(1 << step)], least[1 << step :])
        known = np.flatnonzero(best < len(self.rows))
        return known, self.by_rank[best[known]]
