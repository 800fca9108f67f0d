"""`Attribution`: assigns every moment of the steps to one operator, kernel or call.

`breakdown` says which category each moment of a step counts for. Here the moment also gets one
name: that of the row of the category that was running. Of device work, this is the row that started
first, and of host rows the innermost one of its thread, operators before annotations. So the times
of all names in a step sum exactly to its length, and changes of them to the change of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import kept_host_rows, narrowed, work_of_kind
from nbprof.analysis.grouping import dense, latest, sums
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.steps.breakdown import (
    cumulative_coverage,
    host_categories,
    steps_in_range,
)
from nbprof.model import intervals
from nbprof.model.intervals import Coverage
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: What names a moment: a host row, a device row without a known operator, or nothing.
HOST, DEVICE, NOTHING = 0, 1, 2

#: Device work by category: what is named by the operator that launched it, and what by itself.
_BY_OPERATOR: Final = ("kernel", "communication")


@dataclass(frozen=True)
class Attribution:
    """The time of the steps by category and name; arrays of shape (parts,).

    Attributes
    ----------
    category : ndarray of int64
        Place of the category in `kinds.CATEGORIES`.
    side : ndarray of int64
        Whose name it is: `HOST`, `DEVICE`, or `NOTHING`.
    name : ndarray of int64
        Code of the name in that table, -1 without one.
    step : ndarray of int64
        Index of the step among those of the trace.
    time_ns : ndarray of int64
        Nanoseconds, more than 0; those of a step sum to its length.
    """

    category: Rows
    side: Rows
    name: Rows
    step: Rows
    time_ns: Rows


def attribute(model: TraceModel, filter_: Filter) -> Attribution:
    """Assign the time of the steps in a filter's range to names.

    Rows that the filter drops count for nothing, as in `break_down`.
    """
    return latest(model, "attribution", filter_, lambda: _attribute(model, filter_))


@dataclass(frozen=True)
class _Pieces:
    """Times that have a name, in any order; arrays of shape (pieces,)."""

    start: Rows
    end: Rows
    side: Rows
    name: Rows


def _attribute(model: TraceModel, filter_: Filter) -> Attribution:
    found = steps_in_range(model, filter_)
    chosen = np.flatnonzero(found.chosen)
    windows = found.start_ns[chosen], found.end_ns[chosen]
    rows = filter_.replace(steps=None, time_us=None, workers=None)
    coverage = cumulative_coverage(model, rows)
    claimed = Coverage.of(intervals.empty())
    parts: list[tuple[Rows, ...]] = []
    rest = windows[1] - windows[0]
    for number, category in enumerate(kinds.CATEGORIES):
        time = coverage.get(category)
        left = rest if time is None else time.within(*windows) - claimed.within(*windows)
        rest = rest - left
        taken = claimed
        for pieces in _tiers(model, rows, category):
            step, of, length = _cut(pieces, windows, taken)
            parts.append((step * 0 + number, pieces.side[of], pieces.name[of], step, length))
            left = left - np.bincount(step, weights=length, minlength=len(left)).astype(np.int64)
            taken = _with(taken, pieces)
        # What no name explains: nothing ran, or rows of a thread crossed each other.
        step = np.flatnonzero(left)
        none = np.full(len(step), NOTHING), np.full(len(step), -1)
        parts.append((step * 0 + number, *none, step, left[step]))
        claimed = claimed if time is None else time
    return _summed(parts, chosen)


def _summed(parts: list[tuple[Rows, ...]], chosen: Rows) -> Attribution:
    """Add up the pieces with equal category, name and step."""
    category, side, name, step, time = (
        np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)
    )
    group, first = dense(category, side, name, step) if len(step) else (step, step)
    total = sums(group, time, len(first)).astype(np.int64)
    first, total = first[total > 0], total[total > 0]
    return Attribution(category[first], side[first], name[first], chosen[step[first]], total)


def _cut(pieces: _Pieces, windows: tuple[Rows, Rows], taken: Coverage) -> tuple[Rows, Rows, Rows]:
    """Cut pieces at the borders of windows, and leave out what is taken and what overlaps.

    Returns
    -------
    window, piece, length : ndarray of int64, shape (cuts,)
    """
    order = np.argsort(pieces.start, kind="stable")
    end = pieces.end[order]
    reach = np.maximum.accumulate(np.append(np.iinfo(np.int64).min, end))[:-1]
    start = np.maximum(pieces.start[order], reach)
    there = end > start
    order, start, end = order[there], start[there], end[there]
    window, of, low, high = intervals.split(start, end, windows)
    length = np.maximum(high - low, 0) - taken.within(low, high)
    return window, order[of], length


def _with(taken: Coverage, pieces: _Pieces) -> Coverage:
    start, end = np.append(taken.starts, pieces.start), np.append(taken.ends, pieces.end)
    return Coverage.of(intervals.union(start, end))


def _tiers(model: TraceModel, rows: Filter, category: str) -> Iterator[_Pieces]:
    """Yield the named times of a category; earlier ones go before later ones."""
    device = narrowed(model, rows)
    communicates = device_communication(model)
    kind = {"kernel": kinds.KERNEL, "memcpy": kinds.MEMCPY, "memset": kinds.MEMSET}.get(category)
    if category == "communication":
        yield _device_pieces(model, device & communicates, by_operator=True)
    elif kind is not None:
        work = device & ~communicates & work_of_kind(model, kind)
        yield _device_pieces(model, work, by_operator=category in _BY_OPERATOR)
    own = model.cached("host categories by start", lambda: host_categories(model)).get(category)
    if own is None or len(own) == 0:
        return
    of_host = rows.replace(devices=None, streams=None)
    if of_host:
        own = own[kept_host_rows(model, of_host).take(own)]
    pieces = _innermost(model, own)
    is_operator = model.column("host", "kind")[pieces.name] == kinds.OPERATOR
    codes = model.column("host", "name").astype(np.int64)
    for tier in (is_operator, ~is_operator):
        yield _Pieces(
            pieces.start[tier], pieces.end[tier], pieces.side[tier], codes[pieces.name[tier]]
        )


def _device_pieces(model: TraceModel, chosen: Mask, *, by_operator: bool) -> _Pieces:
    """Return device rows with the names of their operators or, without one, their own."""
    work = np.flatnonzero(chosen)
    start = model.column("device", "start_ns")[work]
    end = start + model.column("device", "duration_ns")[work]
    name = model.column("device", "name")[work].astype(np.int64)
    side = np.full(len(work), DEVICE, np.int64)
    if by_operator:
        is_host, name = launching_names(model, work)
        side = np.where(is_host, HOST, DEVICE)
    return _Pieces(start, end, side, name)


def launching_names(model: TraceModel, work: Rows) -> tuple[Mask, Rows]:
    """Return by which name device work compares between devices of different makes.

    Parameters
    ----------
    model : TraceModel
        The trace.
    work : ndarray of int64, shape (rows,)
        Device rows.

    Returns
    -------
    is_host : ndarray of bool, shape (rows,)
        Whether it is the name of a host row: the operator or, without one, what launched the work.
        Otherwise it is the work's own name.
    code : ndarray of int64, shape (rows,)
        Code of the name.
    """
    links = model.links
    host = np.where(links.operator[work] >= 0, links.operator[work], links.launched_by[work])
    code = model.column("device", "name")[work].astype(np.int64)
    known = host >= 0
    code[known] = model.column("host", "name")[host[known]]
    return known, code


def _innermost(model: TraceModel, rows: Rows) -> _Pieces:
    """Return when each of some host rows was the innermost of them on its thread.

    The names of the pieces are host rows. Between the starts and ends of the rows of a thread the
    same row is innermost; after the end of a row it is the row around it.
    """
    chosen = np.zeros(model.tables["host"].num_rows, bool)
    chosen[rows] = True
    rows = np.flatnonzero(chosen)
    around = nearest_ancestor(model.nesting.parent, chosen)[rows]
    depth = model.nesting.depth[rows].astype(np.int64)
    start = model.column("host", "start_ns")[rows]
    end = start + model.column("host", "duration_ns")[rows]
    thread = model.column("host", "thread")[rows].astype(np.int64)
    time = np.concatenate([end, start])
    # At one time, rows end before others start, inner ones first; then outer ones start first.
    rank = np.concatenate([-1 - depth, depth])
    owner = np.concatenate([around, rows])
    order = np.lexsort((rank, time, np.tile(thread, 2)))
    time, owner, on = time[order], owner[order], np.tile(thread, 2)[order]
    low, high, owner = time[:-1], time[1:], owner[:-1]
    finish = model.column("host", "start_ns") + model.column("host", "duration_ns")
    high = np.minimum(high, finish[owner])  # a row may outlast the one around it
    use = (high > low) & (owner >= 0) & (on[:-1] == on[1:])
    return _Pieces(low[use], high[use], np.full(int(use.sum()), HOST), owner[use])
