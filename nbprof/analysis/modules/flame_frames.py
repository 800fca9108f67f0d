"""Frames of flame graphs: modules, operators and Python functions with their nesting and values.

Nothing counts twice: of slices that overlap without being nested, which inaccurate clocks cause,
the later one is moved to the end of the earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.devices.device_rows import (
    counted_device_rows,
    kept_device_rows,
    work_rows,
)
from nbprof.analysis.grouping import dense, sums
from nbprof.analysis.memory.records import (
    device_of_record,
    kept_devices,
    kept_records,
    slice_of_record,
)
from nbprof.analysis.memory.totals import changes_in_use
from nbprof.analysis.modules.flame_slices import Slices
from nbprof.model.filters.patterns import match_names
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.links.call_stacks import names_of_frames
from nbprof.model.links.module_tree import ModuleTree, module_label, sources_of_device
from nbprof.model.links.nesting import depths, nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Kinds of frames: those of host rows, of device rows outside all frames, and two more.
KINDS: Final = (*kinds.HOST_KINDS, *kinds.DEVICE_KINDS, "memory", "thread")
_DEVICE: Final = len(kinds.HOST_KINDS)
_MEMORY: Final = KINDS.index("memory")
_THREAD: Final = KINDS.index("thread")

#: Name of memory records outside all frames, as in the trace.
_RECORD: Final = "[memory]"


@dataclass(frozen=True)
class Frames:
    """Nested frames with their values; arrays of shape (frames,).

    Attributes
    ----------
    parent : ndarray of int64
        Index of the frame around each, -1 at the bottom.
    label : ndarray of int64
        Index in `names` and `kinds`.
    start_ns : ndarray of int64
        Start of each frame.
    own : ndarray of int64
        Value without the frames inside it, in nanoseconds or bytes.
    names : list of str
    kinds : list of str
    slices : Slices
        The slices that the first frames belong to.
    place : ndarray of int64 or None
        Start of each frame in time order, moved so that none overlap; None if `own` is not host
        time.
    """

    parent: Rows
    label: Rows
    start_ns: Rows
    own: Rows
    names: list[str]
    kinds: list[str]
    slices: Slices
    place: Rows | None = None


def host_frames(model: TraceModel, filter_: Filter) -> Frames:
    """Return frames valued by host time. Threads are at the bottom, with the remaining time.

    Threads with steps come first, then those with more frames; they are placed one after the other.
    """
    slices = Slices.of(model, filter_)
    start = model.column("host", "start_ns")[slices.row]
    end = start + model.column("host", "duration_ns")[slices.row]
    threads, thread = _threads(model, slices)
    low = np.full(len(threads), np.iinfo(np.int64).max)
    high = np.full(len(threads), np.iinfo(np.int64).min)
    np.minimum.at(low, thread, start)
    np.maximum.at(high, thread, end)
    length = high - low
    shift = np.cumsum(length) - length - low
    parent = np.where(slices.parent >= 0, slices.parent, len(start) + thread)
    parent = np.concatenate([parent, np.full(len(threads), -1)])
    start, end = np.concatenate([start, low]), np.concatenate([end, high])
    shift = shift[np.concatenate([thread, np.arange(len(threads))])]
    place, end = start + shift, end + shift
    if model.nesting.overlaps:
        place, end = _without_overlaps(parent, place, end)
    worth = end - place
    inside = np.flatnonzero(parent >= 0)
    own = worth - sums(parent[inside], worth[inside], len(worth)).astype(np.int64)
    names = [f"Thread {tid}" for tid in model.column("threads", "tid")[threads].tolist()]
    more = _ExtraFrames(np.full(len(threads), _THREAD), np.arange(len(threads)), names)
    frames = _frames(model, slices, more, parent=parent, start=start, own=own)
    return replace(frames, place=place)


def device_frames(model: TraceModel, filter_: Filter) -> Frames:
    """Return frames valued by the device time launched in them.

    Work launched outside all frames has frames of its own.
    """
    slices = Slices.of(model, filter_)
    frame = values_at(slices.inner, sources_of_device(model))
    duration = model.column("device", "duration_ns")
    inside = counted_device_rows(model, filter_) & (frame >= 0)
    own = sums(frame[inside], duration[inside], len(slices.row)).astype(np.int64)
    outside = np.flatnonzero(work_rows(model) & kept_device_rows(model, filter_) & (frame < 0))
    kind = _DEVICE + model.column("device", "kind")[outside].astype(np.int64)
    more = _ExtraFrames(
        kind, model.column("device", "name")[outside], model.values("device", "name")
    )
    start = model.column("device", "start_ns")[outside]
    worth = duration[outside]
    return _with_roots(model, slices, more, own=own, start=start, worth=worth)


def memory_frames(model: TraceModel, filter_: Filter) -> Frames:
    """Return frames valued by the bytes allocated in them, without subtracting releases.

    Allocations outside all frames have frames of their own.
    """
    slices = Slices.of(model, filter_)
    size = changes_in_use(model)
    counted = (size > 0) & np.isin(device_of_record(model), kept_devices(model, filter_))
    frame = values_at(slices.inner, slice_of_record(model))
    inside = counted & (frame >= 0)
    own = sums(frame[inside], size[inside], len(slices.row)).astype(np.int64)
    kept = counted & kept_records(model, filter_)
    if filter_.name is not None:
        kept = kept & match_names([_RECORD], filter_.name)[0]
    outside = np.flatnonzero(kept & (frame < 0))
    more = _ExtraFrames(np.full(len(outside), _MEMORY), np.zeros(len(outside), np.int64), [_RECORD])
    start = model.column("memory", "time_ns")[outside]
    return _with_roots(model, slices, more, own=own, start=start, worth=size[outside])


def under_forward(model: TraceModel, frames: Frames) -> Rows:
    """Return parents of frames that put the backward pass in its forward operators' modules.

    Returns
    -------
    ndarray of int64, shape (frames,)
    """
    slices = frames.slices
    linked = linked_forward_rows(model)[slices.row] >= 0
    target = values_at(slices.index, ModuleTree.of(model).forward_call[slices.row])
    start = model.column("host", "start_ns")[slices.row]
    # A backward row that begins before its forward operator is wrongly linked and could cause
    # cycles.
    moved = linked & (target >= 0)
    moved[moved] = start[target[moved]] < start[moved]
    above = nearest_ancestor(slices.parent, moved)
    # Frames inside such a row move with it.
    moved &= (above < 0) | (values_at(target, above) != target)
    parent = frames.parent.copy()
    parent[: len(target)][moved] = target[moved]
    return parent


def _threads(model: TraceModel, slices: Slices) -> tuple[Rows, Rows]:
    """Return the threads with frames, the main one first, and the index of each frame's thread."""
    thread = model.column("host", "thread").astype(np.int64)
    count = model.tables["threads"].num_rows
    steps = np.bincount(thread[model.column("host", "kind") == kinds.STEP], minlength=count)
    frames = np.bincount(thread[slices.row], minlength=count)
    order = np.lexsort((np.arange(count), -frames, -steps))
    order = order[frames[order] > 0]
    place = np.empty(count, np.int64)
    place[order] = np.arange(len(order))
    return order, place[thread[slices.row]]


def levels_of(parents: Rows) -> list[Rows]:
    """Return the indices of the frames at each depth, the bottom first."""
    depth = depths(parents)
    if depth.max(initial=0) <= np.iinfo(np.int16).max:
        depth = depth.astype(np.int16)  # NumPy sorts these in one pass
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


def _without_overlaps(parents: Rows, start: Rows, end: Rows) -> tuple[Rows, Rows]:
    """Move slices that begin before their neighbour ends, so that none overlap."""
    start, end = start.copy(), end.copy()
    for level in levels_of(parents)[1:]:  # one iteration per depth; the bottom stays
        order = np.lexsort((level, start[level], parents[level]))
        slices, parent = level[order], parents[level[order]]
        # All parents are laid end to end, so one running maximum handles all of them.
        spans = np.unique(parent)
        length = end[spans] - start[spans]
        shift = (np.cumsum(length) - length - start[spans])[np.searchsorted(spans, parent)]
        low, high = start[parent] + shift, end[parent] + shift
        begin = np.clip(start[slices] + shift, low, high)
        finish = np.clip(end[slices] + shift, low, high)
        begin[1:] = np.maximum(begin[1:], np.maximum.accumulate(finish)[:-1])
        start[slices] = begin - shift
        end[slices] = np.maximum(finish, begin) - shift
    return start, end


@dataclass(frozen=True)
class _ExtraFrames:
    """Frames that are not slices: their kinds, and codes and texts of their names."""

    kind: Rows
    code: npt.NDArray[np.signedinteger]
    texts: list[str]


def _with_roots(
    model: TraceModel, slices: Slices, more: _ExtraFrames, *, own: Rows, start: Rows, worth: Rows
) -> Frames:
    """Return the frames of slices, and additional frames outside all of them."""
    parent = np.concatenate([slices.parent, np.full(len(start), -1)])
    start = np.concatenate([model.column("host", "start_ns")[slices.row], start])
    own = np.concatenate([own, worth])
    return _frames(model, slices, more, parent=parent, start=start, own=own)


def _frames(
    model: TraceModel, slices: Slices, more: _ExtraFrames, *, parent: Rows, start: Rows, own: Rows
) -> Frames:
    names, place = names_of_frames(model)
    kind = np.concatenate([model.column("host", "kind")[slices.row].astype(np.int64), more.kind])
    code = place[model.column("host", "name")[slices.row]] if len(slices.row) else slices.row
    code = np.concatenate([code, more.code.astype(np.int64) + len(names)])
    label, first = dense(kind, code)
    all_names = [*map(module_label, names), *more.texts]
    return Frames(
        parent=parent,
        label=label,
        start_ns=start,
        own=own,
        names=[all_names[one] for one in code[first].tolist()],
        kinds=[KINDS[one] for one in kind[first].tolist()],
        slices=slices,
    )
