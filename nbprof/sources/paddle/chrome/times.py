"""Computes the times of slices and memory records of a JSON file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.chrome.times import NO_TIME
from nbprof.sources.paddle.chrome.exact_times import Bounds, restore
from nbprof.sources.paddle.chrome.memory_times import Events, place
from nbprof.sources.paddle.chrome.nesting import (
    Tree,
    Written,
    find_tree,
    follow_tree,
    owners,
    sequence_of,
)
from nbprof.sources.paddle.chrome.rounding import are_rounded, errors
from nbprof.sources.paddle.clock import MICROSECOND, Base, Slices, Times, base_of, fill_starts

if TYPE_CHECKING:
    from nbprof.sources.paddle.assembly import Parts

#: Up to here (134 ms) times are taken from the arguments, with errors of at most 4 ns; later ones
#: are restored.
LITERAL_NS: Final = 1 << 27


def set_times(parts: Parts) -> None:
    """Compute times relative to the first host event, in place."""
    raw, host, device = parts.raw, parts.host, parts.device
    slices = [Slices.take(columns) for columns in (host, device)]
    times = parts.memory.join("time_ns")
    base = base_of(slices, times)
    raw.base_ns = base.low
    times -= base.low
    written = Written(host.join("thread"), host.order, host.join("kind") == kinds.RUNTIME)
    off = 0
    if any(one.end.max(initial=0) > LITERAL_NS and are_rounded(one.start) for one in slices):
        _restore_device(slices[1], base)
        starts = _starts(slices[0], base)
        off = int((starts.high - starts.low).max(initial=0)) + 1
        tree = _restore_host(written, slices[0], starts, off)
    elif slices[0].has_times.all():
        tree = find_tree(written, slices[0].start, slices[0].end)
    else:
        tree = None
    for columns, one in zip((host, device), slices, strict=True):
        duration = fill_starts(one, base, columns.join("name"), raw)
        columns.join("duration_ns")[:] = duration
    if tree is not None and len(times):
        _place_memory(parts, written, tree, off)


def _restore_host(written: Written, slices: Slices, starts: Bounds, off: int) -> Tree | None:
    """Replace the times of host events by restored ones; return the tree of events."""
    if not slices.has_times.all():
        return None
    lengths, error = _lengths(slices), errors(slices.end)
    near = (starts.low + starts.high) // 2
    followed = follow_tree(written, near, lengths.low, off)
    if followed is None:
        return None
    tree, near = followed
    ends = Bounds(slices.end - error, slices.end + error)
    found = restore(sequence_of(written, tree, near), starts, ends, lengths)
    if found is not None:
        slices.start[:], slices.end[:] = found
    return tree


def _restore_device(slices: Slices, base: Base) -> None:
    """Move starts into the microseconds of their stamps, and keep durations."""
    bounds, length = _starts(slices, base), slices.length
    is_timed = (
        slices.has_times & (slices.end > LITERAL_NS) & (bounds.low <= bounds.high) & (length >= 0)
    )
    slices.start[is_timed] = ((bounds.low + bounds.high) // 2)[is_timed]
    slices.end[is_timed] = (slices.start + length)[is_timed]


def _starts(slices: Slices, base: Base) -> Bounds:
    """Return the bounds of starts, from arguments and stamps."""
    error = errors(slices.start)
    low, high = slices.start - error, slices.start + error
    stamped = slices.stamp != NO_TIME
    low = np.where(stamped, np.maximum(low, slices.stamp - base.high), low)
    return Bounds(
        low,
        np.where(stamped, np.minimum(high, slices.stamp - base.low + MICROSECOND - 1), high),
    )


def _lengths(slices: Slices) -> Bounds:
    """Return the bounds of durations."""
    error = errors(slices.length)
    known = slices.length >= 0
    longest: Times = slices.end - slices.start + errors(slices.start) + errors(slices.end)
    low = np.where(known, np.maximum(slices.length - error, 0), 0)
    return Bounds(low, np.where(known, slices.length + error, longest))


def _place_memory(parts: Parts, written: Written, tree: Tree, off: int) -> None:
    """Move memory records, in place, to when their event ran in their microsecond."""
    host, memory = parts.host, parts.memory
    start = host.join("start_ns")
    events = Events(
        np.where(written.is_call, -2, tree.parent), start, start + host.join("duration_ns")
    )
    owner = owners(written, memory.join("thread"), memory.order)
    times = memory.join("time_ns")
    times[:] = place(times, owner, events, off)
