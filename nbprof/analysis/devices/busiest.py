"""Finds which row spends the most time inside a window, for many rows and windows at once.

Rows have disjoint parts, such as the self times of operators on a thread. A row either lies
completely inside a window, or crosses one of its ends. Of the complete rows, the longest is looked
up in a table of ranks; only the few crossing rows are measured. The cost therefore grows with rows
and windows times the depth of nesting, not with rows times windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import crossings

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = npt.NDArray[np.int64]
#: Up to this many overlaps per window and part are measured one by one, without preparation.
PAIRS: Final = 4
#: Windows, rows, and the time of each row in the window; arrays of shape (n,).
Times = tuple[Rows, Rows, Rows]


@dataclass(frozen=True)
class Parts:
    """Parts of rows, such as their self times; arrays of shape (parts,).

    Attributes
    ----------
    row, start, end : ndarray of int64
        The row of each part and its times; sorted by start.
    reach : ndarray of int64
        The latest end up to each part.
    of_row : ndarray of int64, shape (rows,)
        Number of parts of each row.
    begin, finish, last, total : ndarray of int64, shape (rows,)
        Start, end and index of the parts at both ends of each row, and the sum of all of its parts;
        parts without length do not count, and rows without others have a total of 0.
    """

    row: Rows
    start: Rows
    end: Rows
    reach: Rows
    of_row: Rows
    begin: Rows
    finish: Rows
    last: Rows
    total: Rows

    @classmethod
    def of(cls, row: Rows, start: Rows, end: Rows) -> Parts:
        """Build parts with the columns that every set of windows looks up."""
        of_row = np.bincount(row)
        part = np.flatnonzero(end > start)
        mine = row[part]
        begin, finish, last = (np.zeros(len(of_row), np.int64) for _ in range(3))
        begin[mine[::-1]] = start[part[::-1]]
        finish[mine], last[mine] = end[part], part
        total = np.bincount(mine, (end - start)[part], len(of_row)).astype(np.int64)
        reach = np.maximum.accumulate(end)
        return cls(row, start, end, reach, of_row, begin, finish, last, total)

    def where(self, keep: npt.NDArray[np.bool_]) -> Parts:
        """Return the parts that a mask keeps."""
        return Parts.of(self.row[keep], self.start[keep], self.end[keep])


def longest_inside(parts: Parts, low: Rows, high: Rows, first: Rows) -> Times:
    """Return for every window its longest row, and possibly others, with their time in it.

    Parameters
    ----------
    parts : Parts
        The parts of the rows.
    low, high : ndarray of int64, shape (windows,)
        The windows.
    first : ndarray of int64, shape (rows,)
        Tie-breaker between rows of equal time, the smallest first; then the number of the row.

    Returns
    -------
    tuple of ndarray
        Windows, rows, times; each pair of window and row appears once.
    """
    first_part, stop = _bounds(parts, low, high)
    if (stop - first_part).sum() <= PAIRS * (len(parts.row) + len(low)):
        return _sum_parts(parts, low, high, (first_part, stop))
    mixed = _overlapping_rows(parts.row, parts.start, parts.end)
    nested = ~np.isin(parts.row, mixed)
    longest = _Extents.of(parts.where(nested), first).longest(low, high)
    if not len(mixed):
        return longest
    others = parts.where(~nested)
    rest = _sum_parts(others, low, high, _bounds(others, low, high))
    return tuple(np.concatenate(both) for both in zip(longest, rest, strict=True))  # type: ignore[return-value]


def _bounds(parts: Parts, low: Rows, high: Rows) -> tuple[Rows, Rows]:
    """Return the range of parts that each window may overlap, the last one exclusive."""
    first = np.searchsorted(parts.reach, low, side="right")
    return first, np.maximum(np.searchsorted(parts.start, high, side="left"), first)


def _sum_parts(parts: Parts, low: Rows, high: Rows, bounds: tuple[Rows, Rows]) -> Times:
    """Sum the parts of each row in each window.

    Sums of rows that lie inside a window are known; only those that cross its ends are added up.
    """
    first, stop = bounds
    count = stop - first
    window = np.repeat(np.arange(len(low)), count)
    part = np.arange(len(window)) - np.repeat(np.cumsum(count) - count - first, count)
    row = parts.row.take(part)
    is_inside = parts.begin.take(row) >= np.repeat(low, count)
    is_inside &= parts.finish.take(row) <= np.repeat(high, count)
    crossing = np.flatnonzero(~is_inside)
    sums = _sum_crossing(parts, low, high, (window.take(crossing), part.take(crossing)))
    whole = np.flatnonzero(is_inside)
    whole = whole.compress(parts.last.take(row.take(whole)) == part.take(whole))
    total = parts.total.take(row.take(whole))
    whole, total = whole.compress(total > 0), total.compress(total > 0)
    found = window.take(whole), row.take(whole), total
    return tuple(np.concatenate(both) for both in zip(found, sums, strict=True))  # type: ignore[return-value]


def _sum_crossing(parts: Parts, low: Rows, high: Rows, pairs: tuple[Rows, Rows]) -> Times:
    """Sum the parts of each row in each window, given all pairs of a window and a part."""
    window, part = pairs
    length = np.minimum(parts.end.take(part), high.take(window))
    length -= np.maximum(parts.start.take(part), low.take(window))
    overlaps = np.flatnonzero(length > 0)
    window, length = window.take(overlaps), length.take(overlaps)
    row = parts.row.take(part.take(overlaps))
    # Most windows overlap one part, and most rows have one, so few pairs need a sum.
    several = (np.bincount(window)[window] > 1) & (parts.of_row[row] > 1)
    pair = window[several] * len(parts.of_row) + row[several]
    order = np.argsort(pair)
    pair = pair[order]
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    total = np.add.reduceat(length[several][order], first) if len(first) else first
    shared, rows = np.divmod(pair[first], max(len(parts.of_row), 1))
    return (
        np.concatenate([window[~several], shared]),
        np.concatenate([row[~several], rows]),
        np.concatenate([length[~several], total]),
    )


def _overlapping_rows(row: Rows, start: Rows, end: Rows) -> Rows:
    """Return the rows whose parts overlap those of other rows, or interleave with them."""
    mixed = np.empty(0, np.int64)
    while True:
        is_pure = ~np.isin(row, mixed)
        left, begin, stop = row[is_pure], start[is_pure], end[is_pure]
        reach = np.maximum.accumulate(np.append(-1, stop[:-1])) if len(stop) else stop
        late = np.flatnonzero(begin < reach)
        over = np.searchsorted(np.maximum.accumulate(stop), begin[late], side="right")
        crossing = [left[late], left[over]]
        if not len(late):
            rows, low, high = _extents(left)
            parent = np.arange(-1, len(rows) - 1, dtype=np.int64)
            single = np.zeros(len(rows), np.int32)
            for one, other in crossings(single, low, high + 1, parent):
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
        Index of each part's row, and the start and end of the part.
    rows, low, high, above : ndarray of int64, shape (rows,)
        Numbers of the rows, their first and last part, and the index of the row around each, -1 for
        none; sorted by first part, longest first.
    by_rank, rank : ndarray of int64, shape (rows,)
        Indices of the rows, the longest first, and the rank of each.
    key, length : ndarray of int64, shape (parts,) and (parts + 1,)
        Sort key of each part, its row times the number of parts plus its number, and the running
        sum of lengths in that order.
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
    def of(cls, parts: Parts, first: Rows) -> _Extents:
        row, start, end = parts.row, parts.start, parts.end
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
        """Return for every window its longest complete row, and all rows that cross its ends."""
        first = np.searchsorted(self.end, low, side="right")
        last = np.searchsorted(self.start, high, side="left") - 1
        window = np.flatnonzero(first <= last)
        first, last = first[window], last[window]
        before = np.searchsorted(self.low, first, side="right")
        stop = np.searchsorted(self.low, last, side="right")
        spans: list[Times] = []
        pairs = [(first[:0], first[:0]), *self._enclosing(first)]
        for at, place in self._enclosing(last):
            pairs.append((at, place))
            later = place >= before[at]
            rest, split = at[later], place[later]
            spans.append((rest, split + 1, stop[rest]))
            stop[rest] = split
        spans.append((np.arange(len(window)), before, stop))
        at, place = (np.concatenate(column) for column in zip(*pairs, strict=True))
        key = np.unique(at * len(self.rows) + place) if len(self.rows) else at
        at, place = key // max(len(self.rows), 1), key % max(len(self.rows), 1)
        time = self._time_between(place, first[at], last[at], low[window[at]], high[window[at]])
        whole, best = self._longest_in_ranges(
            *(np.concatenate(c) for c in zip(*spans, strict=True))
        )
        total = self.length[np.searchsorted(self.key, (best + 1) * len(self.row))]
        total = total - self.length[np.searchsorted(self.key, best * len(self.row))]
        kept = time > 0
        return (
            np.concatenate([window[at[kept]], window[whole]]),
            self.rows[np.concatenate([place[kept], best])],
            np.concatenate([time[kept], total]),
        )

    def _enclosing(self, part: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs of a part's index and the index of an enclosing row, innermost first."""
        place = np.searchsorted(self.low, part, side="right") - 1
        at = np.flatnonzero(place >= 0)
        place = place[at]
        while len(at):
            holds = self.high[place] >= part[at]
            yield at[holds], place[holds]
            place = self.above[place]
            at, place = at[place >= 0], place[place >= 0]

    def _time_between(self, place: Rows, first: Rows, last: Rows, low: Rows, high: Rows) -> Rows:
        """Return the time of rows in windows, given their first and last part there."""
        base = place * len(self.row)
        bounds = (np.searchsorted(self.key, base + part) for part in (first, last + 1))
        one, other = (self.length[bound] for bound in bounds)
        time = other - one
        time -= np.where(self.row[first] == place, np.maximum(low - self.start[first], 0), 0)
        time -= np.where(self.row[last] == place, np.maximum(self.end[last] - high, 0), 0)
        return time

    def _longest_in_ranges(self, window: Rows, low: Rows, high: Rows) -> tuple[Rows, Rows]:
        """Return the index of the longest row in a range of rows, for each window."""
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
