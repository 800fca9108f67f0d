"""`NvtxRanges`: the ranges that the reports are about, their nesting, and their device work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import counted_device_rows, kept_host_rows
from nbprof.model.links.nesting import depths, nearest_ancestor
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Styles of ranges that the reports have; marks have no duration.
STYLES: Final = ("PushPop", "StartEnd")


@dataclass(frozen=True)
class NvtxRanges:
    """Ranges in the order of host rows; arrays of shape (ranges,).

    Attributes
    ----------
    row : ndarray of int64
        Host row.
    name : ndarray of int64
        Index into `names`.
    names : sequence of str
        Texts, after the domain if it is not the default one.
    style : ndarray of int64
        Index into `STYLES`.
    thread : ndarray of int64
        Row of the thread that opened the range.
    start, end : ndarray of int64
        Times in nanoseconds.
    parent : ndarray of int64
        Index of the enclosing push/pop range, -1 without one.
    level : ndarray of int64
        0 at the top.
    """

    row: Rows
    name: Rows
    names: Sequence[str]
    style: Rows
    thread: Rows
    start: Rows
    end: Rows
    parent: Rows
    level: Rows

    @classmethod
    def of(cls, model: TraceModel) -> NvtxRanges:
        """Return the ranges of a trace: those of NVTX, else annotations and steps; cached."""
        return model.cached("nvtx ranges", lambda: cls._make(model))

    @classmethod
    def _make(cls, model: TraceModel) -> NvtxRanges:
        if model.tables["nvtx_ranges"].num_rows:
            row, style, thread, names, name = _recorded(model)
        else:
            kind = model.column("host", "kind")
            row = np.flatnonzero((kind == kinds.ANNOTATION) | (kind == kinds.STEP))
            style = np.zeros(len(row), np.int64)
            thread = model.column("host", "thread")[row].astype(np.int64)
            names, name = model.values("host", "name"), model.column("host", "name")[row]
        start = model.column("host", "start_ns")[row]
        end = start + model.column("host", "duration_ns")[row]
        chosen = np.zeros(model.tables["host"].num_rows, bool)
        chosen[row[style == 0]] = True
        index = np.full(len(chosen) + 1, -1, np.int64)
        index[row] = np.arange(len(row))
        parent = index[nearest_ancestor(model.nesting.parent, chosen)[row]]
        parent[style != 0] = -1
        return cls(row, name, names, style, thread, start, end, parent, depths(parent))

    def kept(self, model: TraceModel, filter_: Filter) -> Mask:
        """Return which ranges a filter keeps."""
        return kept_host_rows(model, filter_)[self.row]

    def children(self) -> Rows:
        """Return the number of ranges directly inside each range."""
        inside = self.parent[self.parent >= 0]
        return np.bincount(inside, minlength=len(self.row)).astype(np.int64)


def _recorded(model: TraceModel) -> tuple[Rows, Rows, Rows, Sequence[str], Rows]:
    """Return row, style, thread, names and name of the ranges of NVTX."""
    table = {
        name: model.column("nvtx_ranges", name)
        for name in ("row", "style", "thread", "label", "domain")
    }
    styles = model.values("nvtx_ranges", "style")
    number = np.array([STYLES.index(one) if one in STYLES else -1 for one in styles], np.int64)
    style = number[table["style"]]
    shown = style >= 0
    labels, domains = (model.values("nvtx_ranges", name) for name in ("label", "domain"))
    width = len(domains) + 1
    key = (table["label"].astype(np.int64) + 1) * width + table["domain"] + 1
    distinct, name = np.unique(key[shown], return_inverse=True)
    names = []
    for one in distinct.tolist():
        label, domain = one // width - 1, one % width - 1
        text = labels[label] if label >= 0 else "<unnamed>"
        names.append(f"{domains[domain]}:{text}" if domain >= 0 else text)
    return (
        table["row"][shown],
        style[shown],
        table["thread"][shown].astype(np.int64),
        names,
        name.astype(np.int64),
    )


@dataclass(frozen=True)
class Launched:
    """The device work that was launched inside each range, on its thread.

    Attributes
    ----------
    work : ndarray of int64, shape (launched,)
        Device rows, by thread and start of their launch.
    first, last : ndarray of int64, shape (ranges,)
        The work of each range is ``work[first:last]``.
    """

    work: Rows
    first: Rows
    last: Rows

    @classmethod
    def of(cls, model: TraceModel, ranges: NvtxRanges, wanted: Mask) -> Launched:
        """Find the work whose launch starts and ends inside each range.

        Parameters
        ----------
        model : TraceModel
            The trace.
        ranges : NvtxRanges
            All ranges.
        wanted : ndarray of bool, shape (device rows,)
            Which work counts.
        """
        work = np.flatnonzero(wanted & (model.links.launch >= 0))
        call = model.links.launch[work]
        thread = model.column("host", "thread")[call].astype(np.int64)
        start = model.column("host", "start_ns")[call]
        end = start + model.column("host", "duration_ns")[call]
        order = np.lexsort((work, start, thread))
        work, thread, start, end = work[order], thread[order], start[order], end[order]
        # One axis for all threads: every thread has a span of its own.
        span = int(max(start.max(initial=0), ranges.end.max(initial=0))) + 2
        if (int(thread.max(initial=0)) + 2) * span < 1 << 62:
            place = thread * span + start
            first = np.searchsorted(place, ranges.thread * span + ranges.start)
            last = np.searchsorted(place, ranges.thread * span + ranges.end, side="right")
        else:  # too long for one axis
            first, last = _by_thread(thread, start, ranges)
        last = np.maximum(first, last)
        while True:  # launches that end after the range are the last ones in it
            late = np.flatnonzero(last > first)
            late = late[end[last[late] - 1] > ranges.end[late]]
            if len(late) == 0:
                return cls(work, first, last)
            last[late] -= 1

    def pairs(self) -> tuple[Rows, Rows]:
        """Return every pair of a range and its work: index of the range, and device row."""
        counts = self.last - self.first
        index = np.repeat(np.arange(len(counts)), counts)
        shift = np.repeat(self.first - (np.cumsum(counts) - counts), counts)
        return index, self.work[np.arange(len(index)) + shift]


def _by_thread(thread: Rows, start: Rows, ranges: NvtxRanges) -> tuple[Rows, Rows]:
    first, last = np.zeros(len(ranges.row), np.int64), np.zeros(len(ranges.row), np.int64)
    for one in np.unique(ranges.thread).tolist():
        low, high = np.searchsorted(thread, one), np.searchsorted(thread, one, side="right")
        own = np.flatnonzero(ranges.thread == one)
        first[own] = low + np.searchsorted(start[low:high], ranges.start[own])
        last[own] = low + np.searchsorted(start[low:high], ranges.end[own], side="right")
    return first, last


def launched_work(model: TraceModel, filter_: Filter, *, only_kernels: bool = False) -> Launched:
    """Return the device work launched inside each range that a filter counts."""
    wanted = counted_device_rows(model, filter_)
    if only_kernels:
        wanted = wanted & (model.column("device", "kind") == kinds.KERNEL)
    return Launched.of(model, NvtxRanges.of(model), wanted)
