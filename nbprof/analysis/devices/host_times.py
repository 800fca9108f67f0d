"""What the host did while devices were idle: its own time inside gaps, by name.

A moment of a thread belongs to the innermost operator, annotation or runtime call that runs then,
or to the profiler's own work. Python functions are looked through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense
from nbprof.model import intervals
from nbprof.model.links.nesting import crossings
from nbprof.model.links.overhead import main_thread, overhead_in_calls
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows, rows_of_kinds
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Kinds of host time, by their number.
HOST_KINDS: Final = ("operator", "annotation", "runtime", "overhead")
_OVERHEAD: Final = HOST_KINDS.index("overhead")

#: Sums of windows and names that are looked up at once.
_AT_ONCE: Final = 1 << 20


class InWindows(NamedTuple):
    """Time of names in windows; each pair of both that shares any time appears once.

    Attributes
    ----------
    window, key, time : ndarray of int64, shape (n,)
        Index of the window, of the name in `HostTimes`, and nanoseconds.
    """

    window: Rows
    key: Rows
    time: Rows


@dataclass(frozen=True)
class HostTimes:
    """Times in which host rows run themselves, on one axis on which the threads lie end to end.

    Attributes
    ----------
    start, end : ndarray of int64, shape (parts,)
        Nanoseconds on this axis; disjoint and sorted.
    key : ndarray of int64, shape (parts,)
        Index of each part's name and kind.
    name, kind : ndarray of int64, shape (keys,)
        Code of the name in the host table, and index in `HOST_KINDS`.
    width : int
        Length of a thread's part of the axis.
    sorted_key, before : ndarray of int64, shape (parts,) and (parts + 1,)
        Keys times the number of parts plus the part, sorted, and the running sum of the lengths in
        this order.
    """

    start: Rows
    end: Rows
    key: Rows
    name: Rows
    kind: Rows
    width: int
    sorted_key: Rows
    before: Rows

    @classmethod
    def of(cls, model: TraceModel) -> HostTimes:
        """Return the times of a trace; computed once."""
        return model.cached("own times of host names", lambda: _find(model))

    def names(self, model: TraceModel, key: Rows) -> list[str]:
        """Return names and kinds of keys as texts that can be sorted; -1 is before all."""
        texts = model.values("host", "name")
        found = [f"{texts[name]} {kind}" for name, kind in zip(self.name, self.kind, strict=True)]
        return [found[one] if one >= 0 else "" for one in key.tolist()]

    def windows(self, thread: Rows, start: Rows, end: Rows) -> tuple[Rows, Rows]:
        """Return where times of threads, such as gaps, lie on the axis."""
        low, high = (
            np.clip(time, 0, self.width - 1) + thread * self.width for time in (start, end)
        )
        return low, high

    def in_windows(self, low: Rows, high: Rows) -> InWindows:
        """Return the time of each name in each window.

        A window over many parts looks up the sums of all names; any other adds up its parts.

        Parameters
        ----------
        low, high : ndarray of int64, shape (windows,)
            The windows on the axis; they may overlap.
        """
        first, stop = self._parts(low, high)
        is_long = self._is_long(stop - first)
        short = np.flatnonzero(~is_long)
        window, part = ranges(first[short], stop[short])
        window = short[window]
        time = np.minimum(self.end[part], high[window]) - np.maximum(self.start[part], low[window])
        pair, one = dense(window, self.key[part])
        total = np.bincount(pair, weights=time, minlength=len(one)).astype(np.int64)
        found = [InWindows(window[one], self.key[part[one]], total)]
        rest, keys = np.flatnonzero(is_long), len(self.name)
        for at in range(0, len(rest), max(_AT_ONCE // max(keys, 1), 1)):
            some = np.repeat(rest[at : at + max(_AT_ONCE // keys, 1)], keys)
            key = np.tile(np.arange(keys), len(some) // keys)
            time = self._sums(key, low[some], high[some])
            found.append(InWindows(some[time > 0], key[time > 0], time[time > 0]))
        return InWindows(*map(np.concatenate, zip(*found, strict=True)))

    def most(self, low: Rows, high: Rows) -> tuple[Rows, Rows]:
        """Return the name that has at least half of each window, the first of two halves.

        A name with more than half of a window has, bit by bit, the bits that more than half of the
        window has. With exactly half, it runs at an end, or has more than half without the last
        nanosecond.

        Parameters
        ----------
        low, high : ndarray of int64, shape (windows,)
            The windows on the axis.

        Returns
        -------
        key, time : ndarray of int64, shape (windows,)
            Index of the name, -1 for none, and its time.
        """
        if not len(self.start):
            return np.full(len(low), -1), np.zeros(len(low), np.int64)
        first, stop = self._parts(low, high)
        _, inside = ranges(*intervals.union(first, stop))
        start, end, key = self.start[inside], self.end[inside], self.key[inside]
        first, last = (np.clip(at, 0, len(self.start) - 1) for at in (first, stop - 1))
        by_bits = np.zeros(len(low), np.int64)
        for bit in range(len(self.name).bit_length()):
            has = (key >> bit & 1).astype(bool)
            time = intervals.Coverage.of((start[has], end[has])).within(low, high - 1)
            by_bits |= (2 * time > high - 1 - low).astype(np.int64) << bit
        by_bits = np.minimum(by_bits, len(self.name) - 1)
        choices = np.stack([self.key[first], self.key[last], by_bits])
        times = np.stack([self._sums(key, low, high) for key in choices])
        best, every = times.argmax(axis=0), np.arange(len(low))
        time = times[best, every]
        return np.where(2 * time >= high - low, choices[best, every], -1), time

    def _is_long(self, parts: Rows) -> npt.NDArray[np.bool_]:
        """Return which windows of so many parts look up the sums of all names."""
        return parts > len(self.name)

    def _parts(self, low: Rows, high: Rows) -> tuple[Rows, Rows]:
        """Return the range of parts that each window overlaps, the last one exclusive."""
        first = np.searchsorted(self.end, low, side="right")
        return first, np.maximum(np.searchsorted(self.start, high, side="left"), first)

    def _sums(self, key: Rows, low: Rows, high: Rows) -> Rows:
        """Return the time of one name in each window."""
        first, stop = self._parts(low, high)
        bounds = (
            np.searchsorted(self.sorted_key, key * len(self.key) + at) for at in (first, stop)
        )
        begin, finish = (self.before[bound] for bound in bounds)
        time = finish - begin
        some = np.flatnonzero(stop > first)
        for at, over in (
            (first[some], low[some] - self.start[first[some]]),
            (stop[some] - 1, self.end[stop[some] - 1] - high[some]),
        ):
            time[some] -= np.where(self.key[at] == key[some], np.maximum(over, 0), 0)
        return time


def ranges(first: Rows, stop: Rows) -> tuple[Rows, Rows]:
    """Return all numbers of some ranges, and the index of the range of each."""
    count = stop - first
    of = np.repeat(np.arange(len(count)), count)
    return of, np.arange(len(of)) - np.repeat(np.cumsum(count) - count - first, count)


def _find(model: TraceModel) -> HostTimes:
    kind = _host_kinds(model)
    start = model.column("host", "start_ns")
    end = start + model.column("host", "duration_ns")
    width = width_of_threads(model)
    shift = model.column("host", "thread").astype(np.int64) * width
    rows = np.flatnonzero((kind >= 0) & (kind != _OVERHEAD) & (end > start))
    row, low, high = _own_parts(model, rows, start + shift, end + shift)
    own, calls = overhead_in_calls(model)
    if len(own):
        # Where no call tells the thread, it is taken to be the main one.
        there = np.where(calls < 0, main_thread(model) * width, values_at(shift, calls))
        begin, finish = start[own] + there, end[own] + there
        first = np.searchsorted(high, begin, side="right")
        last = np.searchsorted(low, finish, side="left")
        touched = np.zeros(len(low), bool)
        touched[ranges(*intervals.union(first, last))[1]] = True
        cut = low[touched], high[touched]
        left = intervals.subtract(cut, intervals.union(begin, finish))
        of = row[touched][np.searchsorted(cut[0], left[0], side="right") - 1]
        order = np.argsort(begin, kind="stable")
        begin = np.maximum(begin[order], np.append(0, np.maximum.accumulate(finish[order])[:-1]))
        low, high = (
            np.concatenate([whole[~touched], *parts])
            for whole, *parts in zip((low, high), left, (begin, finish[order]), strict=True)
        )
        row = np.concatenate([row[~touched], of, own[order]])
        order = np.flatnonzero(high > low)
        order = order[np.argsort(low[order], kind="stable")]
        row, low, high = row[order], low[order], high[order]
    name = model.column("host", "name")
    key, one = dense(name[row], kind[row])
    sorted_key = key * len(key) + np.arange(len(key))
    order = np.argsort(sorted_key)
    before = np.append(0, np.cumsum((high - low)[order]))
    of_key = row[one]
    return HostTimes(
        low,
        high,
        key,
        name[of_key].astype(np.int64),
        kind[of_key],
        width,
        sorted_key[order],
        before,
    )


def width_of_threads(model: TraceModel) -> int:
    """Return a length on the axis of host times that no time of a thread exceeds."""
    end = model.column("host", "start_ns") + model.column("host", "duration_ns")
    return int(max(np.max(end, initial=0), model.metadata.get("end_ns", 0))) + 1


def _own_parts(model: TraceModel, rows: Rows, start: Rows, end: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the times in which some rows run, and none of them inside runs: row, start, end.

    Of rows that overlap without being nested, the later one has the time that both share.
    """
    start, end = start[rows], end[rows]
    around = np.arange(-1, len(rows) - 1, dtype=np.int64)
    last = end.copy()
    for later, earlier in crossings(model.column("host", "thread")[rows], start, end, around):
        np.minimum.at(last, earlier, start[later])
    end = last
    # A row has the time from its start to that of the next row, and from the end of each row inside
    # it, at most to its own end.
    inside = np.flatnonzero(around >= 0)
    of = np.concatenate([np.arange(len(rows)), around[inside]])
    low = np.concatenate([start, end[inside]])
    following = np.append(start, intervals.FAR)
    after = np.searchsorted(start, end[inside])
    high = np.minimum(end[of], np.concatenate([following[1:], following[after]]))
    some = np.flatnonzero(high > low)
    some = some[np.argsort(low[some], kind="stable")]
    return rows[of[some]], low[some], high[some]


def _host_kinds(model: TraceModel) -> Rows:
    """Return the index of each host row's kind in `HOST_KINDS`, -1 for other kinds."""

    def make() -> Rows:
        ranges = rows_of_kinds(model, "host", kinds.ANNOTATION, kinds.OPERATOR)
        kind = np.where(ranges, 1, -1)
        # old recorders write data loaders and optimizers as operators; they count as annotations
        kind[operator_rows(model)] = 0
        kind[model.column("host", "kind") == kinds.RUNTIME] = 2
        kind[model.column("host", "kind") == kinds.OVERHEAD] = _OVERHEAD
        return kind.astype(np.int64)

    return model.cached("kinds of host time", make)
